#pragma once

namespace tutti {

class Tracker;

/// One thread of this process, which makes no MPI call, looks now and then at all communicators: a
/// call that goes on for TUTTI_STALL is told in the log, once, with who is missing. A blocking MPI
/// call cannot be interrupted, but it need not be silent.
namespace stall_watch {

void add(const Tracker& tracker);
void remove(const Tracker& tracker) noexcept;

}  // namespace stall_watch
}  // namespace tutti
