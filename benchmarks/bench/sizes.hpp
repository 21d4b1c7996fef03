#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::bench {

/// "8", "32K", "1M", "2G", "1T", also "KiB" and "KB": bytes in units of 1024.
/// @throws std::invalid_argument, naming the text and the rule.
std::uint64_t parse_size(std::string_view text);

/// minimum, minimum x factor, ... up to maximum; after 0 comes 1. Never overflows.
/// @throws std::invalid_argument unless minimum <= maximum and factor >= 2.
std::vector<std::uint64_t> sweep(std::uint64_t minimum, std::uint64_t maximum,
                                 std::uint64_t factor);

/// "32K" where the unit divides the size, otherwise plain bytes: the inverse of parse_size.
std::string format_size(std::uint64_t bytes);

}  // namespace tutti::bench
