// Case 22: without mpirun there is one rank, and every operation is the identity.
#include <complex>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

namespace {

template <class T>
void every_operation(const tutti::Communicator& world, std::size_t count) {
  std::vector<T> in(count), out;
  for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<T>(static_cast<float>(i % 50));
  const auto same = [&](const char* what, auto call) {
    out.assign(count, T{});
    call();
    require(in == out, what);
  };
  for (const tutti::ReduceOp& op : {tutti::sum, tutti::prod, tutti::avg}) {
    same("all_reduce", [&] { world.all_reduce(in, out, op); });
    same("reduce", [&] { world.reduce(in, out, op, 0); });
    same("reduce_scatter", [&] { world.reduce_scatter(in, out, op); });
  }
  same("scan", [&] { world.scan(in, out); });
  same("all_gather", [&] { world.all_gather(in, out); });
  same("gather", [&] { world.gather(in, out, 0); });
  same("scatter", [&] { world.scatter(in, out, 0); });
  same("all_to_all", [&] { world.all_to_all(in, out); });
  same("send_recv", [&] { world.send_recv(in, 0, out, 0); });
  same("group", [&] { world.run({tutti::send(in, 0), tutti::recv(out, 0)}); });
  out.assign(count, T{});
  world.exclusive_scan(in, out);
  require(out == std::vector<T>(count), "exclusive_scan touched rank 0");
  out = in;
  world.broadcast(out, 0);
  require(in == out, "broadcast");
  world.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  tutti::Environment environment(argc, argv);
  const tutti::Communicator world(MPI_COMM_WORLD);
  require(world.size() == 1 && world.rank() == 0, "not alone");
  for (const std::size_t count : {0U, 1U, 1000U}) {
    every_operation<int>(world, count);
    every_operation<unsigned long long>(world, count);
    every_operation<double>(world, count);
    every_operation<float>(world, count);
    every_operation<std::complex<float>>(world, count);
  }
  return 0;
}
