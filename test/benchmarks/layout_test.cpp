#include <gtest/gtest.h>

#include <algorithm>

#include "bench/workspace.hpp"

// Descriptions of collectives are checked against each other: whatever is received must have been
// sent, and must lie inside the memory.

namespace tutti::bench {
namespace {

Job job_of(const Collective& collective, int rank, int size, bool in_place, bool uneven) {
  Job job;
  job.collective = &collective;
  job.rank = rank;
  job.size = size;
  job.root = size - 1;
  job.in_place = in_place && collective.in_place_form;
  job.uneven = uneven && collective.uneven_form;
  set_size(job, 1000);
  return job;
}

void check(const Job& job) {
  const Layout layout = job.collective->layout(job);
  const bool one_buffer = job.in_place || job.collective->one_buffer;
  const std::size_t memory = one_buffer ? layout.data : layout.receive;
  for (const Segment& segment : job.collective->expected(job)) {
    EXPECT_LE(segment.at + segment.count, memory) << job.collective->name;
    for (int from = segment.first; from < segment.last; ++from) {
      Job other = job;
      other.rank = from;
      set_size(other, 1000);
      EXPECT_LE(segment.source + segment.count, job.collective->layout(other).send)
          << job.collective->name << " from " << from;
    }
  }
  if (one_buffer) {
    EXPECT_LE(layout.send_at + layout.send, layout.data) << job.collective->name;
    EXPECT_LE(layout.receive_at + layout.receive, layout.data) << job.collective->name;
  }
}

TEST(Layout, WhatIsReceivedWasSentAndFits) {
  for (const Collective* collective : all_collectives())
    for (const int size : {1, 2, 3, 5})
      for (int rank = 0; rank < size; ++rank)
        for (const bool in_place : {false, true})
          for (const bool uneven : {false, true})
            check(job_of(*collective, rank, size, in_place, uneven));
}

TEST(Layout, ASizeThatIsNotZeroMovesSomething) {
  for (const Collective* collective : all_collectives()) {
    Job job = job_of(*collective, 0, 4, false, false);
    set_size(job, 8);  // two elements for four ranks
    const std::size_t wanted = !collective->moves_data ? 0 : collective->blocks ? 4 * 4 : 8;
    EXPECT_EQ(job.bytes(), wanted) << collective->name;
    set_size(job, 1);
    EXPECT_EQ(job.bytes() != 0, collective->moves_data) << collective->name;
    set_size(job, 0);
    EXPECT_EQ(job.bytes(), 0U) << collective->name;
    job.uneven = collective->uneven_form;
    set_size(job, 8);
    EXPECT_EQ(job.bytes() != 0, collective->moves_data) << collective->name;
    for (const std::size_t count : job.counts) EXPECT_GT(count, 0U) << collective->name;
  }
}

TEST(Layout, UnevenPairsAgree) {
  for (int from = 0; from < 4; ++from) {
    const Job job = job_of(all_to_all_collective, from, 4, false, true);
    for (int to = 0; to < 4; ++to) EXPECT_EQ(job.pair(from, to), job.pair(to, from));
    EXPECT_EQ(job.pair_offsets.back() + job.pair_counts.back(), job.total);
  }
}

TEST(Layout, FilledMemoryIsWhatItsOwnRankExpects) {
  // One rank alone: what it sends is what it receives, once copied by hand.
  const Job job = job_of(all_gather_collective, 0, 1, true, false);
  Workspace workspace(job, *make_ordinary_memory());
  Pattern pattern({job.type, {}, 1, 1});
  workspace.fill(pattern);
  EXPECT_EQ(workspace.count_wrong(pattern), 0U);
}

}  // namespace
}  // namespace tutti::bench
