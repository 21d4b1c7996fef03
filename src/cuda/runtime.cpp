#include "cuda/runtime.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <cstring>

#include "core/text.hpp"
#include "cuda/functions.hpp"
#include "tutti/error.hpp"

namespace tutti {

int device_count() noexcept {
  return cuda::count_devices();
}

namespace cuda {

namespace {

// Without a driver, or with one that is too old, there is nothing to run on: zero devices.
cudaError_t count(int& devices) noexcept {
  devices = 0;
  const Functions* const f = functions_or_null();
  if (f == nullptr) return cudaErrorNoDevice;
  const cudaError_t code = f->cudaGetDeviceCount(&devices);
  if (code != cudaSuccess) {
    devices = 0;
    forget_error();
  }
  return code;
}

}  // namespace

int count_devices() noexcept {
  int devices = 0;
  static_cast<void>(count(devices));
  return devices;
}

std::string why_no_device() {
  if (!why_unavailable().empty()) return why_unavailable();
  int devices = 0;
  const cudaError_t code = count(devices);
  if (devices > 0) return {};
  if (code == cudaSuccess) return "the CUDA runtime sees no device (CUDA_VISIBLE_DEVICES?)";
  const Functions& f = functions();
  return text("the CUDA runtime sees no device: ", f.cudaGetErrorName(code), ", ",
              f.cudaGetErrorString(code), " (code ", static_cast<int>(code), ")");
}

Uuid uuid_of(int device) {
  // cudaDeviceProp begins with a name of 256 bytes and the UUID in every major since 10; what
  // follows differs, and all of it fits here.
  alignas(16) unsigned char properties[4096] = {};
  constexpr std::size_t uuid_at = 256;
  check(functions().get_properties(reinterpret_cast<cudaDeviceProp*>(properties), device),
        "cudaGetDeviceProperties");
  Uuid uuid;
  std::memcpy(uuid.data(), properties + uuid_at, uuid.size());
  return uuid;
}

std::string bus_id_of(int device) {
  char id[32] = {};
  TUTTI_CUDA(cudaDeviceGetPCIBusId(id, sizeof id, device));
  return id;
}

int capability_of(int device) {
  int major = 0;
  TUTTI_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  return major;
}

int current_device() {
  int device = 0;
  TUTTI_CUDA(cudaGetDevice(&device));
  return device;
}

void set_current_device(int device) {
  TUTTI_CUDA(cudaSetDevice(device));
}

namespace {

/// What only the driver can tell; null where something else plays the runtime.
struct Driver {
  decltype(&::cuDevicePrimaryCtxGetState) primary_state = nullptr;
  decltype(&::cuCtxSetCurrent) set_context = nullptr;
  Driver() {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return;
    primary_state =
        reinterpret_cast<decltype(primary_state)>(dlsym(library, "cuDevicePrimaryCtxGetState"));
    set_context = reinterpret_cast<decltype(set_context)>(dlsym(library, "cuCtxSetCurrent"));
  }
};

// Since CUDA 12 cudaSetDevice makes a context, some hundred megabytes on a device that this process
// may never use: device 0, which every thread starts with. Where the caller has none there, the
// thread is left without a context, as it was found, if the runtime then names the caller's device.
bool restored_without_context(int before) noexcept {
  static const Driver* const driver = new Driver;
  if (driver->primary_state == nullptr || driver->set_context == nullptr) return false;
  unsigned flags = 0;
  int active = 1;
  if (driver->primary_state(before, &flags, &active) != CUDA_SUCCESS || active != 0) return false;
  int now = -1;
  return driver->set_context(nullptr) == CUDA_SUCCESS &&
         functions().cudaGetDevice(&now) == cudaSuccess && now == before;
}

}  // namespace

DeviceGuard::DeviceGuard(int device) : before_(current_device()), changed_(before_ != device) {
  if (changed_) set_current_device(device);
}

DeviceGuard::~DeviceGuard() {
  if (!changed_ || restored_without_context(before_)) return;
  if (functions().cudaSetDevice(before_) != cudaSuccess) forget_error();
}

RelaxedCapture::RelaxedCapture() {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  TUTTI_CUDA(cudaThreadExchangeStreamCaptureMode(&mode));
  mode_ = static_cast<int>(mode);
}

RelaxedCapture::~RelaxedCapture() {
  auto mode = static_cast<cudaStreamCaptureMode>(mode_);
  if (functions().cudaThreadExchangeStreamCaptureMode(&mode) != cudaSuccess) forget_error();
}

}  // namespace cuda
}  // namespace tutti
