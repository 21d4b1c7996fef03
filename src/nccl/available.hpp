#pragma once

#include <string>

#include "tutti/device.hpp"

namespace tutti::nccl {

/// Why NCCL cannot be used in this process; empty if it can. Opens the library. Never throws.
const std::string& why_unavailable() noexcept;
/// As NCCL codes it; 0 if there is none.
int loaded_version() noexcept;
/// What was found.
LoadedLibrary loaded_library();

}  // namespace tutti::nccl
