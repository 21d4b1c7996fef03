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
  return text(driver_version().empty() ? "no CUDA driver: " : "the CUDA runtime sees no device: ",
              f.cudaGetErrorName(code), ", ", f.cudaGetErrorString(code), " (code ",
              static_cast<int>(code), ")");
}

namespace {

/// How cudaDeviceProp begins in every major since 10; what follows differs, and all of it fits.
struct alignas(16) Properties {
  char name[256];
  unsigned char uuid[16];
  char luid[8];
  unsigned luid_mask;
  std::size_t memory;
  unsigned char others[4096];
};

Properties read_properties(int device) {
  Properties properties{};
  check(functions().get_properties(reinterpret_cast<cudaDeviceProp*>(&properties), device),
        "cudaGetDeviceProperties");
  return properties;
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  TUTTI_CUDA(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

// As nvidia-smi writes it.
std::string uuid_text(const unsigned char (&uuid)[16]) {
  std::string words = "GPU";
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) words += '-';
    words += "0123456789abcdef"[uuid[i] >> 4U];
    words += "0123456789abcdef"[uuid[i] & 15U];
  }
  return words;
}

}  // namespace

Uuid uuid_of(int device) {
  Uuid uuid;
  std::memcpy(uuid.data(), read_properties(device).uuid, uuid.size());
  return uuid;
}

DeviceProperties properties_of(int device) {
  const Properties properties = read_properties(device);
  return {Device(device),
          properties.name,
          uuid_text(properties.uuid),
          bus_id_of(device),
          text(capability_of(device), '.', attribute(cudaDevAttrComputeCapabilityMinor, device)),
          properties.memory};
}

std::string bus_id_of(int device) {
  char id[32] = {};
  TUTTI_CUDA(cudaDeviceGetPCIBusId(id, sizeof id, device));
  return id;
}

int capability_of(int device) {
  return attribute(cudaDevAttrComputeCapabilityMajor, device);
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

void DeviceGuard::restore() noexcept {
  if (restored_without_context(before_)) return;
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
