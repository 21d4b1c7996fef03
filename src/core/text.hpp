#pragma once

#include <locale>
#include <sstream>
#include <string>

namespace tutti {

/// Everything that a stream can print, one after the other. For messages, never on a fast path.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return out.str();
}

}  // namespace tutti
