#include "bench/collective.hpp"

namespace tutti::bench {

std::span<const Collective* const> all_collectives() {
  static constexpr const Collective* all[] = {
      &all_reduce_collective,     &reduce_collective,         &broadcast_collective,
      &all_gather_collective,     &reduce_scatter_collective, &gather_collective,
      &scatter_collective,        &all_to_all_collective,     &scan_collective,
      &exclusive_scan_collective, &send_recv_collective,      &ping_pong_collective,
      &barrier_collective,
  };
  return all;
}

double one(int /*size*/) {
  return 1;
}
double others_share(int size) {
  return static_cast<double>(size - 1) / size;
}
double there_and_back(int size) {
  return 2 * others_share(size);
}

Layout whole_array(const Job& job) {
  return {.send = job.total, .receive = job.total, .data = job.total};
}

std::vector<Segment> reduction_everywhere(const Job& job) {
  return {{.count = job.total, .first = 0, .last = job.size}};
}

std::vector<Segment> every_block(const Job& job) {
  std::vector<Segment> segments;
  for (int rank = 0; rank < job.size; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    segments.push_back(
        {.at = job.offsets[r], .count = job.counts[r], .first = rank, .last = rank + 1});
  }
  return segments;
}

}  // namespace tutti::bench
