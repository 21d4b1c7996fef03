#include "core/text.hpp"

#include <string_view>

namespace tutti {

namespace {

// How many bytes the character at the beginning takes; 0 if it is none that can be shown.
std::size_t shown_length(std::string_view words) noexcept {
  const auto byte = [&](std::size_t i) {
    return i < words.size() ? static_cast<unsigned char>(words[i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80U) return first >= 0x20U && first != 0x7fU ? 1 : 0;
  if (first >= 0xc3U && first < 0xe0U) return follows(1) ? 2 : 0;  // below: control characters
  if (first == 0xc2U) return follows(1) && byte(1) >= 0xa0U ? 2 : 0;
  if ((first & 0xf0U) == 0xe0U) {
    const bool overlong = first == 0xe0U && byte(1) < 0xa0U;
    const bool surrogate = first == 0xedU && byte(1) >= 0xa0U;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0U && first < 0xf5U) {
    const bool outside =
        (first == 0xf0U && byte(1) < 0x90U) || (first == 0xf4U && byte(1) >= 0x90U);
    return follows(1) && follows(2) && follows(3) && !outside ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string line_about(const std::vector<int>& ranks, std::string_view words) {
  return text("\n  ", ranks.size() == 1 ? "rank " : "ranks ", ranges_of(ranks), ": ", words);
}

std::string printable(std::string_view words, std::size_t limit) {
  constexpr char digits[] = "0123456789abcdef";
  std::string shown;
  while (!words.empty()) {
    if (shown.size() >= limit) return shown + "...";
    const std::size_t length = shown_length(words);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(words.front());
      shown += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
    } else {
      shown += words.substr(0, length);
    }
    words.remove_prefix(length == 0 ? 1 : length);
  }
  return shown;
}

std::string ranges_of(const std::vector<int>& ranks) {
  std::string words;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!words.empty()) words += ", ";
    words += last == i ? text(ranks[i]) : text(ranks[i], '-', ranks[last]);
    i = last + 1;
  }
  return words;
}

}  // namespace tutti
