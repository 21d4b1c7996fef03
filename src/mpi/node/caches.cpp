#include "mpi/node/caches.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace tutti::mpi::node {

namespace {

constexpr const char* directory = "/sys/devices/system/cpu/cpu0/cache/";

/// What the system says ("32768K"), or as many kilobytes as is usual.
std::size_t size_of_level(const char* level, std::size_t usual) {
  std::ifstream file(std::string(directory) + level + "/size");
  std::size_t kilobytes = 0;
  return (file >> kilobytes && kilobytes > 0 ? kilobytes : usual) * 1024;
}

/// How many processors share it: the bits of a mask of hexadecimal digits and commas.
int sharing_processors() {
  std::ifstream file(std::string(directory) + "index3/shared_cpu_map");
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
  return size_of_level("index3", 32 * 1024) /
         static_cast<std::size_t>(std::min(ranks, sharing_processors()));
}

}  // namespace tutti::mpi::node
