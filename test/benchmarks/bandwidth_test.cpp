#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "bench/collective.hpp"
#include "bench/row.hpp"

// The table of nccl-tests for an array of one gigabyte that takes one second.

namespace tutti::bench {
namespace {

double bus_bandwidth(const Collective& collective, int size) {
  Row row;
  row.bytes = 1'000'000'000;
  row.time_us.median = 1e6;
  set_bandwidth(row, collective.bus_factor(size));
  EXPECT_DOUBLE_EQ(row.algbw_gbps, 1);
  return row.busbw_gbps;
}

TEST(Bandwidth, FactorsOfNcclTests) {
  for (const int size : {2, 4, 8}) {
    const double share = (size - 1.0) / size;
    EXPECT_DOUBLE_EQ(bus_bandwidth(all_reduce_collective, size), 2 * share);
    for (const Collective* collective :
         {&all_gather_collective, &reduce_scatter_collective, &gather_collective,
          &scatter_collective, &all_to_all_collective})
      EXPECT_DOUBLE_EQ(bus_bandwidth(*collective, size), share) << collective->name;
    for (const Collective* collective :
         {&broadcast_collective, &reduce_collective, &send_recv_collective, &ping_pong_collective})
      EXPECT_DOUBLE_EQ(bus_bandwidth(*collective, size), 1) << collective->name;
  }
}

TEST(Bandwidth, NoTimeIsNoBandwidth) {
  Row row;
  row.bytes = 8;
  set_bandwidth(row, 1);
  EXPECT_EQ(row.algbw_gbps, 0);
  EXPECT_EQ(row.busbw_gbps, 0);
}

Job sized(const Collective& collective, int size, std::uint64_t bytes) {
  Job job;
  job.collective = &collective;
  job.size = size;
  set_size(job, bytes);
  return job;
}

TEST(Bandwidth, BytesAreThoseThatMove) {
  for (std::uint64_t bytes = 4; bytes <= 64; bytes *= 2) {
    const Job blocks = sized(all_gather_collective, 3, bytes);
    EXPECT_EQ(blocks.bytes(), 3 * 4 * blocks.count);
    EXPECT_LE(blocks.bytes(), std::max<std::uint64_t>(bytes, 3 * 4));
    EXPECT_EQ(sized(all_reduce_collective, 3, bytes).bytes(), bytes);
  }
  EXPECT_EQ(sized(all_gather_collective, 3, 8).count, 1U) << "less would measure nothing";
  EXPECT_EQ(sized(all_gather_collective, 3, 0).count, 0U);
  EXPECT_EQ(sized(barrier_collective, 3, 8).bytes(), 0U);
}

TEST(Bandwidth, UnevenBlocksFillTheArray) {
  for (const std::size_t bytes : {0UL, 4UL, 40UL, 4096UL, 1000004UL}) {
    Job job;
    job.collective = &all_gather_collective;
    job.size = 4;
    job.uneven = true;
    set_size(job, bytes);
    EXPECT_LE(job.bytes(), bytes == 0 ? 0 : std::max(bytes, 4UL * 4));
    EXPECT_GE(job.bytes() + 4 * 2 * 4, bytes / 16 * 16);  // less than a few elements are left away
    for (std::size_t rank = 1; rank < 4; ++rank) EXPECT_GE(job.counts[rank], job.counts[rank - 1]);
  }
}

}  // namespace
}  // namespace tutti::bench
