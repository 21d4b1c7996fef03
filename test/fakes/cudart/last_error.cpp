#include "cudart/call.hpp"

namespace fake {
namespace {
thread_local cudaError_t last_error = cudaSuccess;
}

cudaError_t take_last_error() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t peek_last_error() {
  return last_error;
}
void set_last_error(cudaError_t error) {
  last_error = error;
}

}  // namespace fake
