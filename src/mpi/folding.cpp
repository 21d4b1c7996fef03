#include <algorithm>

#include "mpi/builder.hpp"

namespace tutti::mpi {

namespace {
// Long arrays are reduced in segments, so that intermediate results stay this small.
constexpr std::size_t segment_bytes = 4 * 1024 * 1024;
}  // namespace

// The data of all ranks meets where a result is wanted and is reduced there, x0 o x1 o ..., with
// partial results kept as wide as the arithmetic asks for.
void Builder::gather_fold() {
  const std::size_t count = op_.send.count;
  const bool rooted = op_.kind == OperationKind::reduce;
  const bool gets_result = !rooted || is_root();
  std::byte* const all = gets_result ? scratch(count * n_) : nullptr;
  if (count * n_ <= max_) {
    collective(rooted ? StepKind::gather : StepKind::all_gather, in(0), all, count, op_.root);
  } else {
    for (int r = 0; r < size_ && gets_result; ++r)
      if (r != rank_) receive(all + static_cast<std::size_t>(r) * count * element_, count, r);
    for (int r = 0; r < size_; ++r)
      if (r != rank_ && (!rooted || r == op_.root)) send(in(0), count, r);
    if (gets_result) copy(in(0), all + static_cast<std::size_t>(rank_) * count * element_, count);
  }
  if (!gets_result) return;

  const int last = last_folded();
  if (last < 0) return;
  const std::size_t first = fold(static_cast<std::size_t>(last) + 1, count);
  for (int r = 0; r <= last; ++r)
    schedule_.arrays[first + static_cast<std::size_t>(r)] =
        all + static_cast<std::size_t>(r) * count * element_;
  schedule_.outs[first + static_cast<std::size_t>(last)] = out(0);
}

/// The last rank whose data belongs into this rank's result; -1: none.
int Builder::last_folded() const noexcept {
  if (op_.kind == OperationKind::scan) return rank_;
  if (op_.kind == OperationKind::exclusive_scan) return rank_ - 1;
  return size_ - 1;
}

/// A segment of the array, cut into one slice for each rank; the first ones are one element longer
/// where it does not divide.
struct Builder::Slices {
  std::size_t begin;
  std::size_t count;
  std::size_t ranks;

  std::size_t length(int rank) const noexcept {
    return count / ranks + (static_cast<std::size_t>(rank) < count % ranks ? 1 : 0);
  }
  std::size_t offset(int rank) const noexcept {
    const auto r = static_cast<std::size_t>(rank);
    return begin + r * (count / ranks) + std::min(r, count % ranks);
  }
};

// Each rank reduces a slice of every segment for all, then the slices travel on to where the
// operation wants them. Twice the array's bytes leave each rank, as in a ring.
void Builder::slice_fold() {
  if (op_.kind == OperationKind::reduce_scatter) return fold_blocks();
  const std::size_t segment = std::max(n_, segment_bytes / element_);
  const std::size_t longest = std::min(segment, op_.send.count) / n_ + 1;
  const bool scans = op_.kind == OperationKind::scan || op_.kind == OperationKind::exclusive_scan;
  std::byte* const arriving = scratch(longest * n_);
  std::byte* const results = scratch(longest * (scans ? n_ : 1));
  for (std::size_t begin = 0; begin < op_.send.count; begin += segment) {
    const Slices slices{begin, std::min(segment, op_.send.count - begin), n_};
    exchange_and_fold(
        arriving, [&](int r) { return slices.length(r); },
        [&](int r) { return in(slices.offset(r)); });
    if (scans)
      spread_prefixes(slices, results);
    else
      spread_results(slices, results);
  }
}

// Every rank sends each other one the piece that the other reduces; then it reduces its own, in a
// fold whose outputs are left to fill in. Each begins with another receiver, so that no rank is
// flooded. Pieces without elements are known to be empty on both sides and are not sent.
template <class Length, class Place>
void Builder::exchange_and_fold(std::byte* arriving, const Length& length, const Place& place) {
  const std::size_t mine = length(rank_);
  const auto arrival = [&](int r) {
    return arriving + static_cast<std::size_t>(r) * mine * element_;
  };
  for (int r = 0; r < size_; ++r)
    if (r != rank_ && mine != 0) receive(arrival(r), mine, r);
  for (int step = 1; step < size_; ++step) {
    const int r = (rank_ + step) % size_;
    if (length(r) != 0) send(place(r), length(r), r);
  }
  if (mine == 0) return;
  const std::size_t first = fold(n_, mine);
  for (int r = 0; r < size_; ++r)
    schedule_.arrays[first + static_cast<std::size_t>(r)] = r == rank_ ? place(r) : arrival(r);
}

void Builder::spread_results(const Slices& slices, std::byte* result) {
  const std::size_t mine = slices.length(rank_);
  const bool rooted = op_.kind == OperationKind::reduce;
  const bool gets_result = !rooted || is_root();
  if (gets_result) result = out(slices.offset(rank_));
  if (mine != 0) schedule_.outs.back() = result;
  for (int step = 1; step < size_; ++step) {
    const int to = (rank_ + step) % size_;
    const int from = (rank_ + size_ - step) % size_;
    if (gets_result && slices.length(from) != 0)
      receive(out(slices.offset(from)), slices.length(from), from);
    if ((!rooted || to == op_.root) && mine != 0) send(result, mine, to);
  }
}

// Rank r's result is the prefix that ends with it (scan) or just before it (exclusive scan, where
// rank 0 gets nothing).
void Builder::spread_prefixes(const Slices& slices, std::byte* prefixes) {
  const std::size_t mine = slices.length(rank_);
  const int shift = op_.kind == OperationKind::exclusive_scan ? 1 : 0;
  const std::size_t first = schedule_.outs.size() - n_;
  const auto prefix = [&](int r) {
    return prefixes + static_cast<std::size_t>(r) * mine * element_;
  };
  for (int r = shift; r < size_ && mine != 0; ++r) {
    schedule_.outs[first + static_cast<std::size_t>(r - shift)] = prefix(r);
    if (r != rank_) send(prefix(r), mine, r);
  }
  if (rank_ < shift) return;
  for (int r = 0; r < size_; ++r)
    if (r != rank_ && slices.length(r) != 0) receive(out(slices.offset(r)), slices.length(r), r);
  copy(prefix(rank_), out(slices.offset(rank_)), mine);
}

// reduce_scatter: the slices are the blocks, in segments, and each rank keeps what it reduces.
void Builder::fold_blocks() {
  const BlockLayout blocks = send_layout();
  std::size_t longest = 1;
  for (int r = 0; r < size_; ++r) longest = std::max(longest, blocks.count(r));
  const std::size_t segment =
      phases_ == Phases::one ? longest : std::max<std::size_t>(1, segment_bytes / element_ / n_);
  std::byte* const arriving = scratch(std::min(segment, blocks.count(rank_)) * n_);
  for (std::size_t begin = 0; begin < longest; begin += segment) {
    const auto piece = [&](int r) {
      return begin < blocks.count(r) ? std::min(segment, blocks.count(r) - begin) : 0;
    };
    exchange_and_fold(arriving, piece, [&](int r) { return in(blocks.offset(r) + begin); });
    if (piece(rank_) != 0) schedule_.outs.back() = out(begin);
  }
}

}  // namespace tutti::mpi
