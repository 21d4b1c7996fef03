// A program of the host on whatever machine this is: without the libraries, without a driver, with
// GPUs. It starts, does its collectives, and says why NCCL does not serve if it does not.
#include <cstdio>

#include "support/program.hpp"
#include "tutti/tutti.hpp"

int main(int argc, char** argv) {
  using namespace tutti;
  using namespace tutti::test;
  const Environment environment(argc, argv);
  require_expected_size();
  const Communicator world(MPI_COMM_WORLD);
  require_works(world);
  const Availability nccl = nccl_available();
  require(static_cast<bool>(nccl) == nccl.reason.empty(), "no reason");
  if (world.rank() == 0)
    std::printf("NCCL: %s\n%s\n", nccl ? "available" : nccl.reason.c_str(),
                describe_device_libraries().c_str());
  require(nccl || !world.device() || device_count() > 0, "a device without devices");
  Buffer<double> buffer(3, world.device());
  const double values[] = {1, 2, 3};
  buffer.write(values, 3);
  world.all_reduce(buffer);
  double result[3];
  buffer.read(result, 3);
  require(result[2] == 3 * world.size(), "the buffer's sum is wrong");
  require(!world.explain(all_reduce(buffer)).empty(), "no explanation");
  if (!world.device()) {
    float somewhere = 0;
    error_of([&] { world.all_reduce(DeviceSpan<float>(&somewhere, 1)); }, Errc::unsupported);
    Options required;
    required.nccl = NcclPolicy::required;
    const std::string text =
        error_of([&] { const Communicator never(MPI_COMM_WORLD, required); }, Errc::unsupported);
    require_in(text, nccl.reason.substr(0, 40));
  }
  require_works(world);
  return 0;
}
