#include "core/device.hpp"

#include <cstdlib>
#include <cstring>

#include "core/script.hpp"

namespace fake {
namespace {

constexpr int default_devices = 8;

thread_local int current = 0;
thread_local int host_function_depth = 0;

int configured_count() {
  if (const auto count = Script::get().setting("device", "count")) return static_cast<int>(*count);
  const char* text = std::getenv("TUTTI_FAKE_DEVICES");
  return text == nullptr ? default_devices : std::atoi(text);
}

}  // namespace

cudaError_t device_count(int* count) {
  *count = 0;
  if (const auto error = Script::get().setting("devices", "error")) {
    return static_cast<cudaError_t>(*error);
  }
  *count = configured_count();
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

int current_device() {
  return current;
}

bool valid_device(int device) {
  int count = 0;
  return device_count(&count) == cudaSuccess && device >= 0 && device < count;
}

cudaError_t set_device(int device) {
  const cudaError_t error = ready();
  if (error != cudaSuccess) return error;
  if (!valid_device(device)) return cudaErrorInvalidDevice;
  current = device;
  return cudaSuccess;
}

Uuid device_uuid(int device) {
  int identity = device;
  for (const auto& statement : Script::get().statements()) {
    if (statement->verb != "device" || !statement->has("uuid")) continue;
    if (statement->number("rank", process_rank()) != process_rank()) continue;
    const std::string pair = statement->text("uuid");
    const auto colon = pair.find(':');
    if (std::atoi(pair.c_str() + colon + 1) == device) identity = std::atoi(pair.c_str());
  }
  Uuid uuid{};
  std::memcpy(uuid.data(), "tuttifakegpu", 12);
  std::memcpy(uuid.data() + 12, &identity, sizeof identity);
  return uuid;
}

cudaError_t ready() {
  if (host_function_depth > 0) return cudaErrorNotPermitted;
  int count = 0;
  return device_count(&count);
}

InsideHostFunction::InsideHostFunction() {
  ++host_function_depth;
}
InsideHostFunction::~InsideHostFunction() {
  --host_function_depth;
}

}  // namespace fake
