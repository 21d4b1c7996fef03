// Runs a loop of operations in the middle of which one rank does what its argument names. Tells
// what happens in $FAULTS_DIR/rank.N; campaign.py starts it and judges.
//   $FAULTS_VICTIM  the rank (1)
//   $FAULTS_VERB    run, start, group or plan
//   $FAULTS_MEMORY  host or device
//   $FAULTS_COUNT   elements of an operation
//   $FAULTS_END     what ranks do after an error: leave by main's end (return), end the job once
//   the
//                   campaign has heard all others (end_job), or leave at once (exit)
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "faults/job.hpp"
#include "faults/leave.hpp"
#include "faults/record.hpp"

namespace {

using namespace tutti::faults;
using namespace std::chrono_literals;

const Fault& fault_named(const std::string& name) {
  for (const auto* const faults :
       {&faults_of_the_process(), &faults_of_the_call(), &faults_of_the_surroundings()})
    for (const Fault& fault : *faults)
      if (fault.name == name) return fault;
  say("failed", "no fault is named " + name);
  std::_Exit(2);
}

void say_error(const char* word, const tutti::Error& error) {
  say(word, std::string(to_string(error.code())) + " " + error.what());
}

// A whole communicator goes on, with all its ranks; a broken one says so at once.
void call_again(Job& job) {
  try {
    job.round();
    say("works");
  } catch (const tutti::Error& error) {
    say_error("again", error);
  }
}

void loop(Job& job, const Fault& fault) {
  job.rounds(10);
  MPI_Barrier(MPI_COMM_WORLD);
  say("fault");
  if (job.is_victim())
    fault.at_victim(job);
  else if (fault.at_others)
    fault.at_others(job);
  job.rounds(10);
  say("done");
}

int run(const Fault& fault, int victim) {
  const tutti::Communicator world(MPI_COMM_WORLD);
  // Never destroyed: MPI may work on the memory of an operation that was given up.
  Job& job = *new Job(world, victim);
  try {
    loop(job, fault);
    return 0;
  } catch (const Leave& leave) {
    return leave.status;
  } catch (const tutti::Error& error) {
    say_error("error", error);
    call_again(job);
  }
  return 1;
}

// One after another, as far as they live on: mpirun of Open MPI 4.1 often crashes where several
// ranks call MPI_Abort at the same moment.
[[noreturn]] void end_the_job(int rank) {
  const std::string sign = std::string(std::getenv("FAULTS_DIR")) + "/all_heard";
  for (int i = 0; i < 1000 && access(sign.c_str(), F_OK) != 0; ++i)
    std::this_thread::sleep_for(10ms);
  std::this_thread::sleep_for(rank * 200ms);
  tutti::end_job(1, "an operation failed");
}

void after(int status, int rank) {
  const char* const end = std::getenv("FAULTS_END");
  if (status == 0 || end == nullptr || std::strcmp(end, "return") == 0) return;
  if (std::strcmp(end, "exit") == 0) std::_Exit(status);
  end_the_job(rank);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int status = 1;
  {
    tutti::Environment environment(argc, argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    open_record(rank);
    say("begin", std::to_string(getpid()));
    const char* const victim = std::getenv("FAULTS_VICTIM");
    try {
      status = run(fault_named(argv[1]), victim != nullptr ? std::atoi(victim) : 1);
    } catch (const tutti::Error& error) {
      say_error("error", error);
    } catch (const std::bad_alloc&) {
      say("bad_alloc");
    } catch (const std::exception& error) {
      say("exception", error.what());
    }
    after(status, rank);
  }
  say("left", std::to_string(status));
  return status;
}
