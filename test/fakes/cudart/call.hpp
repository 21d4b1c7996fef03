#pragma once

#include "core/cuda_api.hpp"

#include "core/call.hpp"
#include "core/device.hpp"

namespace fake {

/** The calling thread's last error, as cudaGetLastError() gives it. */
cudaError_t take_last_error();
cudaError_t peek_last_error();
void set_last_error(cudaError_t error);

/** Every function of the runtime goes through here: faults, last error, log. */
template <typename Body>
cudaError_t cuda_call(const char* function, const Arguments& arguments, Body&& body) {
  const Call call(function, process_rank());
  cudaError_t result = cudaErrorUnknown;
  if (call.hang() != nullptr) {
    call.log(arguments, current_device(), "hang");
    hang_forever();
  } else if (call.failure() != nullptr) {
    result = static_cast<cudaError_t>(call.failure()->number("code", cudaErrorUnknown));
  } else if (!call.script_is_bad()) {
    result = body();
  }
  if (result != cudaSuccess) set_last_error(result);
  call.log(arguments, current_device(), static_cast<int>(result));
  return result;
}

}  // namespace fake
