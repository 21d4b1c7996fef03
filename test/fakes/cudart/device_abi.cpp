// Devices, versions and errors.

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/capture.hpp"
#include "core/memory.hpp"
#include "core/stream.hpp"
#include "cudart/call.hpp"
#include "cudart/variant.hpp"

using namespace fake;

namespace {

/** There is no driver underneath: every name is one that it does not have. */
cudaError_t no_driver(const char* called, const char* symbol, void** function,
                      cudaDriverEntryPointQueryResult* status) {
  const char* name = symbol == nullptr ? "" : symbol;
  return cuda_call(called, Arguments()("symbol", name), [&] {
    if (function == nullptr) return cudaErrorInvalidValue;
    *function = nullptr;
    if (status != nullptr) *status = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return cuda_call("cudaGetDeviceCount", {},
                   [&] { return count == nullptr ? cudaErrorInvalidValue : device_count(count); });
}

cudaError_t cudaSetDevice(int device) {
  return cuda_call("cudaSetDevice", Arguments()("to", device), [&] { return set_device(device); });
}

cudaError_t cudaGetDevice(int* device) {
  return cuda_call("cudaGetDevice", {}, [&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = current_device();
    return ready();
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return cuda_call("cudaInitDevice", Arguments()("of", device),
                   [&] { return valid_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return cuda_call("cudaDeviceGetAttribute", Arguments()("id", int{attribute})("of", device), [&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!valid_device(device)) return cudaErrorInvalidDevice;
    *value = device_attribute(attribute, device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return cuda_call("cudaDeviceGetPCIBusId", Arguments()("of", device), [&] {
    if (text == nullptr || length < 13) return cudaErrorInvalidValue;
    if (!valid_device(device)) return cudaErrorInvalidDevice;
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0", (device + 1) & 0xFF);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return cuda_call("cudaDeviceGetByPCIBusId", {}, [&] {
    unsigned bus = 0;
    if (device == nullptr || text == nullptr || std::sscanf(text, "0000:%2X:", &bus) != 1) {
      return cudaErrorInvalidValue;
    }
    *device = static_cast<int>(bus) - 1;
    return valid_device(*device) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return cuda_call("cudaDeviceGetStreamPriorityRange", {}, [&] {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return ready();
  });
}

cudaError_t cudaDeviceSynchronize() {
  return cuda_call("cudaDeviceSynchronize", {}, [&] {
    const cudaError_t error = ready();
    return error == cudaSuccess ? synchronize_device(current_device()) : error;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return cuda_call("cudaDeviceCanAccessPeer", Arguments()("of", device)("peer", peer), [&] {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (!valid_device(device) || !valid_device(peer)) return cudaErrorInvalidDevice;
    *can = device != peer && Script::get().setting("peer", "access").value_or(1) != 0 ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return cuda_call("cudaDeviceEnablePeerAccess", Arguments()("peer", peer),
                   [&] { return valid_device(peer) ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaDeviceReset() {
  return cuda_call("cudaDeviceReset", {}, [] { return synchronize_device(current_device()); });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return cuda_call("cudaDriverGetVersion", {}, [&] {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = runtime_version();
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return cuda_call("cudaRuntimeGetVersion", {}, [&] {
    if (version == nullptr) return cudaErrorInvalidValue;
    *version = runtime_version();
    return cudaSuccess;
  });
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = take_last_error();
  Call("cudaGetLastError", process_rank()).log({}, current_device(), int{error});
  return error;
}

cudaError_t cudaPeekAtLastError() {
  return peek_last_error();
}

const char* cudaGetErrorName(cudaError_t error) {
  return error_text(error).name;
}
const char* cudaGetErrorString(cudaError_t error) {
  return error_text(error).text;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return cuda_call("cudaThreadExchangeStreamCaptureMode", {},
                   [&] { return exchange_capture_mode(mode); });
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* status) {
  return no_driver("cudaGetDriverEntryPoint", symbol, function, status);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* status) {
  return no_driver("cudaGetDriverEntryPointByVersion", symbol, function, status);
}

}  // extern "C"
