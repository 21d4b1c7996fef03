#include "bench/row.hpp"

namespace tutti::bench {

void set_bandwidth(Row& row, double bus_factor) {
  const double time_us = row.time_us.median;
  row.algbw_gbps = time_us > 0 ? static_cast<double>(row.bytes) / time_us * 1e-3 : 0;
  row.busbw_gbps = row.algbw_gbps * bus_factor;
}

}  // namespace tutti::bench
