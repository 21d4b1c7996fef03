#pragma once

#include <string>

namespace tutti::fuzz {

/// What is being done, for the message of whatever goes wrong, a hang included.
void tell(const std::string& what);
/// Gives the step `seconds`, then ends the job with what was told.
void watch(unsigned seconds);

[[noreturn]] void fail(const std::string& why);
inline void require(bool condition, const char* what) {
  if (!condition) fail(what);
}

}  // namespace tutti::fuzz
