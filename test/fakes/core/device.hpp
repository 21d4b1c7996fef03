#pragma once

#include "core/cuda_api.hpp"

#include <array>

namespace fake {

using Uuid = std::array<unsigned char, 16>;

/** Count of devices of this process, or the scripted error. */
cudaError_t device_count(int* count);

int current_device();
cudaError_t set_device(int device);
bool valid_device(int device);

/** The same in every process of the machine, so that two ranks on one device are noticed. */
Uuid device_uuid(int device);

/** cudaErrorNotPermitted inside a host function, else what the device count says. */
cudaError_t ready();

/** Marks the calling thread as one that runs a host function of a stream. */
class InsideHostFunction {
 public:
  InsideHostFunction();
  ~InsideHostFunction();
  InsideHostFunction(const InsideHostFunction&) = delete;
  InsideHostFunction& operator=(const InsideHostFunction&) = delete;
};

}  // namespace fake
