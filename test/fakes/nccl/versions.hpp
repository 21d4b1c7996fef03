#pragma once

#include <string_view>

namespace fake {

/** NCCL version code that this library plays: its own, or the script's `version`. */
int nccl_version();

/** Version that brought a function; 0 for one that was always there. */
int introduced_in(std::string_view function);

}  // namespace fake
