#include "mpi/node/caches.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace tutti::mpi::node {

namespace {

constexpr const char* directory = "/sys/devices/system/cpu/cpu0/cache/index3/";

/// "32768K"
std::size_t last_level_bytes() {
  std::ifstream file(std::string(directory) + "size");
  std::size_t kilobytes = 0;
  constexpr std::size_t usual = 32 * 1024;
  return (file >> kilobytes && kilobytes > 0 ? kilobytes : usual) * 1024;
}

/// How many processors share it: the bits of a mask of hexadecimal digits and commas.
int sharing_processors() {
  std::ifstream file(std::string(directory) + "shared_cpu_map");
  int bits = 0;
  for (char c = 0; file.get(c);) {
    const auto digit = std::string("0123456789abcdef").find(c);
    if (digit != std::string::npos) bits += __builtin_popcountll(digit);
  }
  return std::max(bits, 1);
}

}  // namespace

// Not sysconf: virtual machines tell it the cache of their whole host.
std::size_t cache_bytes_for_each(int ranks) {
  return last_level_bytes() / static_cast<std::size_t>(std::min(ranks, sharing_processors()));
}

}  // namespace tutti::mpi::node
