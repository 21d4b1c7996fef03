#include "mpi/node/reduction.hpp"

#include "core/fold.hpp"
#include "mpi/node/fold_pieces.hpp"
#include "mpi/node/pipeline.hpp"

namespace tutti::mpi::node {

namespace {

/// Which ranks' arrays go into rank r's result: those before the returned one.
int end_of(OperationKind kind, int rank, int size) noexcept {
  if (kind == OperationKind::scan) return rank + 1;
  if (kind == OperationKind::exclusive_scan) return rank;
  return size;
}

bool gets_result(OperationKind kind, int rank, int root) noexcept {
  if (kind == OperationKind::exclusive_scan) return rank != 0;
  return kind != OperationKind::reduce || rank == root;
}

/// Folds into `out`. What exceeds the caches goes past them: of two arrays straight from the
/// registers, which took 20 to 30 % less time than by a piece in between. Where caches are apart,
/// lines of `out` that another core holds are overwritten as wholes, which copying does and a
/// fold's own stores do not.
void fold_result(Team& team, const Arithmetic& arithmetic, const Cut& cut, std::byte* out,
                 std::size_t bytes) {
  if (cut.into_result == copy_bytes && (bytes <= piece_bytes || !team.caches_apart()))
    return fold_arrays(team, arithmetic, team.n(), out, bytes);
  if (cut.into_result == streaming_copy && team.n() == 2)
    return fold_arrays(team, arithmetic, team.n(), out, bytes, Stores::streamed);
  fold_pieces(team, arithmetic, bytes,
              [&](std::size_t begin, const std::byte* piece, std::size_t length) {
                cut.into_result(out + begin, piece, length);
              });
}

/// "Reduces" the first of the team's arrays with nothing.
void fold_alone(Team& team, const Arithmetic& arithmetic, CopyFunction copy, std::byte* out,
                std::size_t bytes) {
  if (stays_as_it_is(arithmetic.op.kind(), arithmetic.type))
    copy(out, team.arrays()[0], bytes);
  else
    fold_arrays(team, arithmetic, 1, out, bytes);
}

/// Everybody's array whole to whoever wants a result, who folds it alone: one step for what is
/// small, and the fewest bytes between two ranks.
void reduce_whole(Team& team, OperationKind kind, const Arithmetic& arithmetic, const std::byte* in,
                  std::byte* out, std::size_t count, int root) {
  const int me = team.rank();
  const int end = end_of(kind, me, team.size());
  const std::size_t bytes = count * arithmetic.element;
  const Cut cut = Cut::of(team, bytes, 1, in == out ? 0 : 2 * bytes);
  const auto write = [&](std::uint64_t i, std::byte* slot) {
    cut.into_slot(slot, in + i * cut.most, cut.length(bytes, i));
  };
  const auto read = [&](std::uint64_t i, const auto& slot_of) {
    for (int r = 0; r < end; ++r) team.arrays()[r] = r == me ? in + i * cut.most : slot_of(r);
    if (end == team.size())
      fold_result(team, arithmetic, cut, out + i * cut.most, cut.length(bytes, i));
    else if (end > 0)
      fold_arrays(team, arithmetic, static_cast<std::size_t>(end), out + i * cut.most,
                  cut.length(bytes, i));
  };
  if (kind == OperationKind::reduce) return stream(team, cut, me != root, write, read);
  pipeline(team, cut, write, read);
}

/// An exclusive_scan of two ranks: the second one gets the first one's array, and writes nothing.
void hand_on(Team& team, const Arithmetic& arithmetic, const std::byte* in, std::byte* out,
             std::size_t count) {
  const std::size_t bytes = count * arithmetic.element;
  const Cut cut = Cut::of(team, bytes, 1, bytes);
  stream(
      team, cut, team.rank() == 0,
      [&](std::uint64_t i, std::byte* slot) {
        cut.into_slot(slot, in + i * cut.most, cut.length(bytes, i));
      },
      [&](std::uint64_t i, const auto& slot_of) {
        team.arrays()[0] = slot_of(0);
        fold_alone(team, arithmetic, cut.into_result, out + i * cut.most, cut.length(bytes, i));
      });
}

/// Each rank folds a slice of the array for all: bytes between ranks do not grow with their number.
class SlicedReduction {
 public:
  SlicedReduction(Team& team, OperationKind kind, const Arithmetic& arithmetic, const std::byte* in,
                  std::byte* out, std::size_t count, int root)
      : team_(team),
        kind_(kind),
        arithmetic_(arithmetic),
        in_(in),
        out_(out),
        bytes_(count * arithmetic.element),
        gets_result_(gets_result(kind, team.rank(), root)) {
    team.calibrate_if_due();
    into_slot_ = copy_or_stream(team.caches_apart());
    into_result_ = copy_or_stream(in != out && team.exceeds_caches(2 * bytes_));
    const std::size_t largest = part_bytes(team.n());
    const std::size_t lines = (bytes_ / team.n() + line_bytes) / line_bytes;
    slice_ = std::min(largest, lines * line_bytes);
    steps_ = (bytes_ + slice_ * team.n() - 1) / (slice_ * team.n());
  }

  void run() {
    first_input_ = team_.input().take(steps_, slice_ * team_.n());
    first_result_ = team_.result().take(steps_, slice_ * team_.n());
    const std::uint64_t ahead = team_.steps_ahead(team_.input());
    std::uint64_t written = 0;
    std::uint64_t collected = 0;
    for (std::uint64_t i = 0; i < steps_; ++i) {
      while (written < std::min(steps_, i + ahead + 1)) write(written++);
      fold_slice(i);
      if (i >= ahead) collect(collected++);
    }
    while (collected < steps_) collect(collected++);
    team_.finish(team_.result());
  }

 private:
  std::size_t begin(std::uint64_t i, int r) const noexcept {
    return (i * team_.n() + static_cast<std::size_t>(r)) * slice_;
  }
  std::size_t length(std::uint64_t i, int r) const noexcept {
    return begin(i, r) < bytes_ ? std::min(slice_, bytes_ - begin(i, r)) : 0;
  }
  template <class Pointer>
  Pointer part(Pointer slot, int r) const noexcept {
    return slot + static_cast<std::size_t>(r) * slice_;
  }
  bool scans() const noexcept {
    return kind_ == OperationKind::scan || kind_ == OperationKind::exclusive_scan;
  }

  void write(std::uint64_t i) {
    Channel& channel = team_.input();
    team_.make_room(channel, first_input_ + i);
    std::byte* const slot = channel.data(team_.rank(), first_input_ + i);
    for_each_other(team_,
                   [&](int r) { into_slot_(part(slot, r), in_ + begin(i, r), length(i, r)); });
    team_.publish(channel, first_input_ + i);
  }

  void fold_slice(std::uint64_t i) {
    const int me = team_.rank();
    Channel& input = team_.input();
    Channel& result = team_.result();
    for (int r = 0; r < team_.size(); ++r) {
      if (r != me) team_.await(input, r, first_input_ + i);
      team_.arrays()[r] = r == me ? in_ + begin(i, me) : part(input.data(r, first_input_ + i), me);
    }
    team_.make_room(result, first_result_ + i);
    std::byte* const slot = result.data(me, first_result_ + i);
    if (scans())
      fold_prefixes(slot, length(i, me));
    else
      fold_pieces(team_, arithmetic_, length(i, me),
                  [&](std::size_t offset, const std::byte* piece, std::size_t bytes) {
                    into_slot_(slot + offset, piece, bytes);
                    if (gets_result_) into_result_(out_ + begin(i, me) + offset, piece, bytes);
                  });
    team_.publish(result, first_result_ + i);
    team_.finish(input, first_input_ + i);
  }

  /// The slot gets the prefix that each rank wants.
  void fold_prefixes(std::byte* slot, std::size_t bytes) {
    void** const outs = team_.outs();
    std::fill(outs, outs + team_.n(), nullptr);
    for (int r = 0; r < team_.size(); ++r)
      if (const int end = end_of(kind_, r, team_.size()); end > 0) outs[end - 1] = part(slot, r);
    fold(arithmetic_.op, arithmetic_.type, team_.arrays(), outs, team_.n(),
         bytes / arithmetic_.element);
  }

  void collect(std::uint64_t i) {
    const int me = team_.rank();
    Channel& channel = team_.result();
    const auto take = [&](int r) {
      const std::byte* const slot = channel.data(r, first_result_ + i);
      into_result_(out_ + begin(i, r), scans() ? part(slot, me) : slot, length(i, r));
    };
    if (gets_result_) {
      if (scans()) take(me);
      for_each_other(team_, [&](int r) {
        team_.await(channel, r, first_result_ + i);
        take(r);
      });
    }
    team_.finish(channel, first_result_ + i);
  }

  Team& team_;
  OperationKind kind_;
  const Arithmetic& arithmetic_;
  const std::byte* in_;
  std::byte* out_;
  std::size_t bytes_;
  bool gets_result_;
  CopyFunction into_slot_;
  CopyFunction into_result_;
  std::size_t slice_ = 0;  ///< bytes
  std::uint64_t steps_ = 0;
  std::uint64_t first_input_ = 0;
  std::uint64_t first_result_ = 0;
};

}  // namespace

void reduce(Team& team, Way way, OperationKind kind, const Arithmetic& arithmetic,
            const std::byte* in, std::byte* out, std::size_t count, int root) {
  if (way == Way::whole && kind == OperationKind::exclusive_scan && team.size() == 2)
    return hand_on(team, arithmetic, in, out, count);
  if (way == Way::whole) return reduce_whole(team, kind, arithmetic, in, out, count, root);
  SlicedReduction(team, kind, arithmetic, in, out, count, root).run();
}

void reduce_scatter(Team& team, const Arithmetic& arithmetic, const std::byte* in, std::byte* out,
                    const ByteBlocks& blocks) {
  const int me = team.rank();
  const std::size_t longest = blocks.longest(team.size());
  const Cut cut = Cut::of(team, longest, team.others(), longest * (team.n() + 1));
  const auto block = [&](std::uint64_t i, int r) {
    return at(in, blocks.offset(r) + i * cut.most);
  };
  pipeline(
      team, cut,
      [&](std::uint64_t i, std::byte* slot) {
        for_each_other(team, [&](int r) {
          cut.into_slot(part_of(slot, me, r, cut.most), block(i, r),
                        cut.length(blocks.bytes(r), i));
        });
      },
      [&](std::uint64_t i, const auto& slot_of) {
        for (int r = 0; r < team.size(); ++r)
          team.arrays()[r] = r == me ? block(i, me) : part_of(slot_of(r), r, me, cut.most);
        fold_result(team, arithmetic, cut, at(out, i * cut.most), cut.length(blocks.bytes(me), i));
      });
}

}  // namespace tutti::mpi::node
