// The victim calls something else than the others, or something wrong.
#include <stdexcept>
#include <thread>

#include "faults/job.hpp"

namespace tutti::faults {
namespace {

using namespace std::chrono_literals;

Operation of_type(Operation operation, DataType type) {
  operation.send.type = operation.receive.type = type;
  return operation;
}

Operation with_count(Operation operation, std::size_t count) {
  operation.send.count = operation.receive.count = count;
  return operation;
}

// A fault in one operation: the victim's, and that of the others.
Fault in_one_call(const char* name, std::function<Operation(const Job&)> victims,
                  std::function<Operation(const Job&)> others = nullptr) {
  Fault fault{name, [victims](Job& job) { job.do_it(victims(job)); }};
  if (others) fault.at_others = [others](Job& job) { job.do_it(others(job)); };
  return fault;
}

void both_communicators(Job& job, bool swapped) {
  const Communicator other = job.world().duplicate();
  std::vector<int> data(100);
  for (int i = 0; i < 2; ++i) ((i == 0) == swapped ? other : job.world()).all_reduce(data);
}

void other_options(Job& job, bool victim) {
  Options options = job.world().options();
  options.deterministic = victim;
  const Communicator second(job.world().mpi(), options);
}

void bad_options(Job& job, bool victim) {
  Options options = job.world().options();
  if (victim) options.max_count = 0;
  const Communicator second(job.world().mpi(), options);
}

Operation broadcast_from(const Job& job, int root) {
  const Operation whole = job.operation();
  ReceiveView data;
  static_cast<MemoryView&>(data) = whole.receive;
  return broadcast(data, root);
}

}  // namespace

const std::vector<Fault>& faults_of_the_call() {
  static const std::vector<Fault> faults = {
      in_one_call("operation", [](const Job&) { return barrier(); }),
      in_one_call("count", [](const Job& job) { return with_count(job.operation(), 99); }),
      in_one_call("type",
                  [](const Job& job) { return of_type(job.operation(), DataType::uint32); }),
      in_one_call("reduction",
                  [](const Job& job) {
                    Operation operation = job.operation();
                    operation.op = max;
                    return operation;
                  }),
      in_one_call(
          "root", [](const Job& job) { return broadcast_from(job, 1); },
          [](const Job& job) { return broadcast_from(job, 0); }),
      in_one_call("null",
                  [](const Job& job) {
                    Operation operation = job.operation();
                    operation.send.data = operation.receive.data = nullptr;
                    return operation;
                  }),
      in_one_call(
          "no_such_root", [](const Job& job) { return broadcast_from(job, job.world().size()); },
          [](const Job& job) { return broadcast_from(job, 0); }),
      {"verb", [](Job& job) { job.world().start(job.operation()).wait(); }},
      {"deadline", [](Job& job) { job.world().run(job.operation().within(1h)); }},
      {"order", [](Job& job) { both_communicators(job, true); },
       [](Job& job) { both_communicators(job, false); }},
      {"no_construction",
       [](Job& job) { std::this_thread::sleep_for(3 * job.world().options().timeout); },
       [](Job& job) { const Communicator second(job.world().mpi(), job.world().options()); }},
      {"no_split", [](Job& job) { std::this_thread::sleep_for(3 * job.world().options().timeout); },
       [](Job& job) { const Communicator second = job.world().split(0); }},
      {"other_options", [](Job& job) { other_options(job, true); },
       [](Job& job) { other_options(job, false); }},
      {"bad_options", [](Job& job) { bad_options(job, true); },
       [](Job& job) { bad_options(job, false); }},
      {"no_message", [](Job& job) { job.rounds(1); },
       [](Job& job) {
         std::vector<int> data(1);
         job.world().recv(data, job.victim());
       }},
  };
  return faults;
}

}  // namespace tutti::faults
