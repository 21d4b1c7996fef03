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

DeviceLibraries device_libraries() noexcept try {
  return {cuda::runtime_library(), nccl::loaded_library(), cuda::driver_version()};
} catch (const std::exception&) {
  return {};
}

std::string describe_device_libraries() {
  const auto words = [](const LoadedLibrary& library) {
    if (!library.problem.empty()) return library.problem;
    return text(library.path, " (", library.version, ", built for ", library.built_for, ')');
  };
  const DeviceLibraries libraries = device_libraries();
  return text("CUDA driver: ", libraries.driver.empty() ? "none" : libraries.driver,
              "; CUDA runtime: ", words(libraries.runtime), "; NCCL: ", words(libraries.nccl));
}

std::vector<DeviceProperties> visible_devices() {
  std::vector<DeviceProperties> devices;
  for (int i = 0; i < cuda::count_devices(); ++i) devices.push_back(cuda::properties_of(i));
  return devices;
}

}  // namespace tutti
