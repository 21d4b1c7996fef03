#include "core/text.hpp"
#include "cuda/runtime.hpp"
#include "nccl/available.hpp"
#include "tutti/nccl.hpp"

namespace tutti {

Availability nccl_available() noexcept try {
  std::string reason = nccl::why_unavailable();
  if (reason.empty()) reason = cuda::why_no_device();
  return {reason};
} catch (const std::exception& error) {
  return {error.what()};
}

std::string describe_device_libraries() {
  return text("CUDA runtime: ", cuda::describe_runtime(), "; NCCL: ", nccl::describe_library());
}

}  // namespace tutti
