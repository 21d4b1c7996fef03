#pragma once

#include <fmt/ostream.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <utility>

namespace cg {

/// A text file that is written from beginning to end. The first write error is kept until `close`,
/// which therefore belongs at the end of every successful use.
class TextFile {
 public:
  /// @throws std::runtime_error if it cannot be opened.
  explicit TextFile(std::string name);

  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::print(out_, format, std::forward<Arguments>(arguments)...);
    if (!out_ && error_ == 0) error_ = errno;
  }

  /// @throws std::runtime_error if anything did not reach the file.
  void close();

 private:
  std::string name_;
  std::ofstream out_;
  int error_ = 0;
};

}  // namespace cg
