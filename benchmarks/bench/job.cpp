#include "bench/job.hpp"

#include <algorithm>
#include <numeric>

#include "bench/collective.hpp"

namespace tutti::bench {
namespace {

/// Where each packed block begins.
std::vector<std::size_t> starts(const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> offsets(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), std::size_t{0});
  return offsets;
}

/// Blocks that grow with the rank, `count` elements on average.
std::size_t uneven_block(std::size_t count, std::size_t rank, std::size_t size) {
  const std::size_t share = count / (size + 1);
  return 2 * (rank + 1) * share + 2 * (rank + 1) * (count % (size + 1)) / (size + 1);
}

}  // namespace

std::string_view to_string(Verb verb) noexcept {
  switch (verb) {
    case Verb::run:
      return "run";
    case Verb::start:
      return "start";
    case Verb::enqueue:
      return "enqueue";
    case Verb::plan:
      return "plan";
  }
  return "?";
}

ReduceOp reduction(ReduceOp::Kind kind) {
  return kind == ReduceOp::Kind::pre_multiplied ? pre_multiplied(scalar) : ReduceOp(kind);
}

void set_size(Job& job, std::uint64_t bytes) {
  const std::size_t elements = bytes / size_of(job.type);
  const auto size = static_cast<std::size_t>(job.size);
  job.count = job.collective->blocks ? elements / size : elements;
  const std::size_t least = bytes != 0 ? 1 : 0;
  job.count = std::max(job.count, least);
  job.counts.assign(size, job.count);
  if (job.uneven)
    for (std::size_t rank = 0; rank < size; ++rank)
      job.counts[rank] = std::max(uneven_block(job.count, rank, size), least);
  job.offsets = starts(job.counts);
  job.pair_counts.resize(size);
  for (int peer = 0; peer < job.size; ++peer)
    job.pair_counts[static_cast<std::size_t>(peer)] = job.pair(job.rank, peer);
  job.pair_offsets = starts(job.pair_counts);
  job.total = job.collective->blocks
                  ? std::accumulate(job.counts.begin(), job.counts.end(), std::size_t{0})
                  : job.count;
  if (!job.collective->moves_data) job.total = job.count = 0;
}

}  // namespace tutti::bench
