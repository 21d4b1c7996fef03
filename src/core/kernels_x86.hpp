#pragma once

#include "core/kernels.hpp"

namespace tutti {

/// Null without these instructions.
const KernelTable* avx2_kernel_table() noexcept;
const KernelTable* avx512_kernel_table() noexcept;

}  // namespace tutti
