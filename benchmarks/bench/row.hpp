#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/statistics.hpp"

namespace tutti::bench {

/// One line of the result.
struct Row {
  std::string collective;
  std::string backend;
  std::string algorithm;
  std::string memory;
  std::string verb;
  std::string type;
  std::optional<std::string> op;  ///< of reductions
  std::optional<int> root;        ///< of rooted collectives
  bool in_place = false;
  bool uneven = false;
  std::uint64_t bytes = 0;  ///< of the whole array, as moved
  std::uint64_t count = 0;  ///< elements of the array, or of one rank's block
  std::uint64_t warmup = 0;
  std::uint64_t iterations = 0;
  std::uint64_t batch = 1;  ///< calls in an iteration; times are per call
  Summary time_us;
  double skew_us = 0;
  double algbw_gbps = 0;
  double busbw_gbps = 0;
  bool verified = false;
  std::uint64_t wrong = 0;
  std::optional<std::string> against;  ///< the raw library, if one was asked for
  std::optional<double> raw_time_us;   ///< median; none where the raw library has no such call
  std::optional<double> ratio;         ///< median raw time / median tutti time
  std::optional<std::string> error;
};

/// Sets both bandwidths from `bytes` and the median time: GB/s, 10^9 bytes.
void set_bandwidth(Row& row, double bus_factor);

}  // namespace tutti::bench
