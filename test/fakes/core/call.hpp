#pragma once

#include <cstdint>
#include <sstream>
#include <string>

#include "core/script.hpp"

namespace fake {

bool log_enabled();

/** Arguments of one call as ` key=value` words; costs nothing when no log is written. */
class Arguments {
 public:
  template <typename T>
  Arguments& operator()(const char* key, T value) {
    if (log_enabled()) {
      std::ostringstream out;
      out << ' ' << key << '=' << value;
      text_ += out.str();
    }
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/** The life of one call of the ABI: its number, its scripted fault, its line in the log. */
class Call {
 public:
  Call(const char* function, int rank);

  /** Statement that makes this call fail, or null. */
  const Statement* failure() const { return failure_; }
  const Statement* hang() const { return hang_; }
  bool script_is_bad() const;
  int number() const { return number_; }

  void log(const Arguments& arguments, int device, const char* result) const;
  void log(const Arguments& arguments, int device, int result) const;

 private:
  const char* function_;
  int rank_;
  int number_;
  std::uint64_t sequence_;
  const Statement* failure_;
  const Statement* hang_;
};

/** Blocks the calling thread for good. */
[[noreturn]] void hang_forever();

}  // namespace fake
