#pragma once

#include "core/bootstrap.hpp"
#include "nccl/functions.hpp"

namespace tutti::nccl {

/// Collective: rank 0's, on all ranks. @throws Error (nccl), on all ranks alike, if it has no id.
ncclUniqueId carry_id(Bootstrap& bootstrap, Deadline deadline);

}  // namespace tutti::nccl
