// For architectures whose baseline has the vectors that the compiler uses.
#include "core/kernels_x86.hpp"

namespace tutti {

const KernelTable* avx2_kernel_table() noexcept {
  return nullptr;
}
const KernelTable* avx512_kernel_table() noexcept {
  return nullptr;
}

}  // namespace tutti
