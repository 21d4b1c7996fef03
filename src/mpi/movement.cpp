#include <algorithm>
#include <climits>

#include "mpi/builder.hpp"

namespace tutti::mpi {

void Builder::broadcast() {
  for (std::size_t done = 0; done < op_.receive.count; done += max_) {
    const std::size_t piece = std::min(max_, op_.receive.count - done);
    collective(StepKind::broadcast, nullptr, out(done), piece, op_.root);
  }
}

void Builder::all_gather(Algorithm algorithm) {
  const BlockLayout blocks = receive_layout();
  std::byte* const own = out(blocks.offset(rank_));
  if (algorithm == Algorithm::messages) {
    for (int r = 0; r < size_; ++r)
      if (r != rank_) receive(out(blocks.offset(r)), blocks.count(r), r);
    for (int r = 0; r < size_; ++r)
      if (r != rank_) send(in(0), op_.send.count, r);
    copy(in(0), own, op_.send.count);
  } else {
    all_gather_uneven(blocks);  // equal ones are one call
  }
}

// Counts fit into MPI's, but this rank's offsets need not: then the blocks arrive packed.
void Builder::all_gather_uneven(const BlockLayout& blocks) {
  std::size_t extent = 0;
  std::size_t packed = 0;
  for (int r = 0; r < size_; ++r) {
    extent = std::max(extent, blocks.offset(r) + blocks.count(r));
    packed += blocks.count(r);
  }
  const bool direct = extent <= INT_MAX;
  std::byte* const target = direct ? out(0) : scratch(packed);
  const bool in_place = direct && (op_.send.count == 0 || in(0) == out(blocks.offset(rank_)));
  collective(StepKind::all_gather_uneven, in_place ? MPI_IN_PLACE : in(0), target, op_.send.count);
  schedule_.steps.back().first = schedule_.ints.size();
  for (int r = 0; r < size_; ++r) schedule_.ints.push_back(static_cast<int>(blocks.count(r)));
  std::size_t at_packed = 0;
  for (int r = 0; r < size_; ++r) {
    schedule_.ints.push_back(static_cast<int>(direct ? blocks.offset(r) : at_packed));
    if (!direct) copy(target + at_packed * element_, out(blocks.offset(r)), blocks.count(r));
    at_packed += blocks.count(r);
  }
}

void Builder::gather(Algorithm algorithm) {
  if (algorithm == Algorithm::collective) {
    const bool in_place = is_root() && in(0) == out(receive_layout().offset(rank_));
    collective(StepKind::gather, in_place ? MPI_IN_PLACE : in(0), op_.receive.data, op_.send.count,
               op_.root);
    return;
  }
  if (!is_root()) return send(in(0), op_.send.count, op_.root);
  const BlockLayout blocks = receive_layout();
  for (int r = 0; r < size_; ++r)
    if (r != rank_) receive(out(blocks.offset(r)), blocks.count(r), r);
  copy(in(0), out(blocks.offset(rank_)), blocks.count(rank_));
}

void Builder::scatter(Algorithm algorithm) {
  if (algorithm == Algorithm::collective) {
    const bool in_place = is_root() && out(0) == in(send_layout().offset(rank_));
    collective(StepKind::scatter, op_.send.data, in_place ? MPI_IN_PLACE : out(0),
               op_.receive.count, op_.root);
    return;
  }
  if (!is_root()) return receive(out(0), op_.receive.count, op_.root);
  const BlockLayout blocks = send_layout();
  for (int r = 0; r < size_; ++r)
    if (r != rank_) send(in(blocks.offset(r)), blocks.count(r), r);
  copy(in(blocks.offset(rank_)), out(0), blocks.count(rank_));
}

void Builder::all_to_all(Algorithm algorithm) {
  const std::byte* outgoing = in(0);
  if (in_place() && op_.send.count != 0) {
    std::byte* const saved = scratch(op_.send.count);
    copy(in(0), saved, op_.send.count);
    outgoing = saved;
  }
  if (algorithm == Algorithm::collective) {
    collective(StepKind::all_to_all, outgoing, out(0), op_.send.count / n_);
    return;
  }
  const BlockLayout from = send_layout();
  const BlockLayout to = receive_layout();
  for (int r = 0; r < size_; ++r)
    if (r != rank_) receive(out(to.offset(r)), to.count(r), r);
  // Everybody begins with another receiver, so that no rank is flooded.
  for (int step = 1; step < size_; ++step) {
    const int r = (rank_ + step) % size_;
    send(outgoing + from.offset(r) * element_, from.count(r), r);
  }
  copy(outgoing + from.offset(rank_) * element_, out(to.offset(rank_)), to.count(rank_));
}

}  // namespace tutti::mpi
