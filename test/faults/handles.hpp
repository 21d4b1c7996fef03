#pragma once

namespace tutti::faults {

/// MPI handles of this process that were made and not freed: communicators, types, reductions and
/// key values. Requests are not among them.
int handles() noexcept;

}  // namespace tutti::faults
