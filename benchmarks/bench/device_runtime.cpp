#include "bench/device_runtime.hpp"

#include <tutti/error.hpp>

#include "bench/loaded_library.hpp"

namespace tutti::bench {
namespace {

constexpr const char* runtime = "libcudart.so";

void check(int code, const char* call) {
  if (code != 0)
    throw Error(Errc::cuda, std::string(call) + " failed with code " + std::to_string(code));
}

}  // namespace

void use_device(Device device) {
  check(loaded<int(int)>(runtime, "cudaSetDevice")(device.ordinal()), "cudaSetDevice");
}

std::size_t free_device_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(loaded<int(std::size_t*, std::size_t*)>(runtime, "cudaMemGetInfo")(&free, &total),
        "cudaMemGetInfo");
  return free;
}

DeviceStream::DeviceStream(Device device) {
  constexpr unsigned not_blocking = 1;
  use_device(device);
  check(loaded<int(cudaStream_t*, unsigned)>(runtime, "cudaStreamCreateWithFlags")(&handle_,
                                                                                   not_blocking),
        "cudaStreamCreateWithFlags");
}

DeviceStream::~DeviceStream() {
  loaded<int(cudaStream_t)>(runtime, "cudaStreamDestroy")(handle_);
}

void DeviceStream::synchronise() const {
  static auto* const function = loaded<int(cudaStream_t)>(runtime, "cudaStreamSynchronize");
  check(function(handle_), "cudaStreamSynchronize");
}

}  // namespace tutti::bench
