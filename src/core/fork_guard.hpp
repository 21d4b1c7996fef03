#pragma once

namespace tutti {

/// How many forks lie between this process and the one that loaded tutti: 0 in the process that
/// MPI knows. Neither MPI nor NCCL work in a forked child, and a look at the process id at every
/// call would cost more than a small operation.
int forks_since_start() noexcept;

}  // namespace tutti
