#pragma once

namespace tutti::faults {

/// Thrown to leave the job early, as if main had returned.
struct Leave {
  int status;
};

}  // namespace tutti::faults
