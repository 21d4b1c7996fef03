#pragma once

#include <cstddef>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

/// Everything that a stream can print, one after the other. For messages, never on a fast path.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return out.str();
}

/// Ascending ranks, in words: "0-2, 5".
std::string ranges_of(const std::vector<int>& ranks);

/// A line of a longer message: "\n  ranks 0-2, 5: " and `words`.
std::string line_about(const std::vector<int>& ranks, std::string_view words);

/// What came from outside, as a message can show it: control characters and what is no UTF-8 become
/// \xNN, and beyond about `limit` bytes it is cut.
std::string printable(std::string_view words, std::size_t limit = 200);

}  // namespace tutti
