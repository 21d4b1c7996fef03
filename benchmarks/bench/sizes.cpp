#include "bench/sizes.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <stdexcept>

namespace tutti::bench {
namespace {

constexpr std::string_view units = "KMGT";

/// The power of two that a unit stands for; negative when it is none.
int shift_of(std::string_view unit) {
  if (unit.empty() || unit == "B") return 0;
  const char first =
      unit.front() >= 'a' ? static_cast<char>(unit.front() - 'a' + 'A') : unit.front();
  const auto index = units.find(first);
  const std::string_view rest = unit.substr(1);
  if (index == std::string_view::npos) return -1;
  if (!rest.empty() && rest != "B" && rest != "iB" && rest != "i") return -1;
  return 10 * (static_cast<int>(index) + 1);
}

}  // namespace

std::uint64_t parse_size(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const int shift =
      error == std::errc() ? shift_of({rest, static_cast<std::size_t>(end - rest)}) : -1;
  if (shift < 0)
    throw std::invalid_argument(
        fmt::format("'{}' is not a size: a whole number of bytes, with K, M, G or T behind it for "
                    "powers of 1024",
                    text));
  if (number > std::numeric_limits<std::uint64_t>::max() >> shift)
    throw std::invalid_argument(fmt::format("the size '{}' does not fit into 64 bits", text));
  return number << shift;
}

std::vector<std::uint64_t> sweep(std::uint64_t minimum, std::uint64_t maximum,
                                 std::uint64_t factor) {
  if (minimum > maximum)
    throw std::invalid_argument(fmt::format("the smallest size, {}, is above the largest, {}",
                                            format_size(minimum), format_size(maximum)));
  if (factor < 2)
    throw std::invalid_argument(
        fmt::format("the factor between sizes is {}; the least is 2", factor));
  std::vector<std::uint64_t> sizes{minimum};
  if (minimum == 0 && maximum > 0) sizes.push_back(1);
  while (sizes.back() != 0 && sizes.back() <= maximum / factor)
    sizes.push_back(sizes.back() * factor);
  return sizes;
}

std::string format_size(std::uint64_t bytes) {
  for (std::size_t unit = units.size(); unit > 0 && bytes != 0; --unit) {
    const std::uint64_t step = std::uint64_t{1} << (10 * unit);
    if (bytes % step == 0) return fmt::format("{}{}", bytes / step, units[unit - 1]);
  }
  return fmt::format("{}", bytes);
}

}  // namespace tutti::bench
