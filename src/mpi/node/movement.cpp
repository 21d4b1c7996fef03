#include "mpi/node/movement.hpp"

#include "mpi/node/pipeline.hpp"

// A rank's own block is copied when its slot is published: others do not wait for that.

namespace tutti::mpi::node {

BlockSizes ByteBlocks::sizes(int ranks) const noexcept {
  BlockSizes sizes{0, 0};
  for (int r = 0; r < ranks; ++r) {
    sizes.longest = std::max(sizes.longest, bytes(r));
    sizes.total += bytes(r);
  }
  return sizes;
}

void barrier(Team& team) {
  const auto nothing = [](std::uint64_t, std::byte*) {};
  pipeline(team, Cut::of(team, 0, 1, 0), nothing, [&](std::uint64_t, const auto& slot_of) {
    for_each_other(team, [&](int r) { slot_of(r); });
  });
}

void broadcast(Team& team, std::byte* data, std::size_t bytes, int root) {
  const Cut cut = Cut::of(team, bytes, 1, bytes);
  stream(
      team, cut, team.rank() == root,
      [&](std::uint64_t i, std::byte* slot) {
        cut.into_slot(slot, data + i * cut.most, cut.length(bytes, i));
      },
      [&](std::uint64_t i, const auto& slot_of) {
        cut.into_result(data + i * cut.most, slot_of(root), cut.length(bytes, i));
      });
}

void all_gather(Team& team, const std::byte* in, std::byte* out, const ByteBlocks& blocks) {
  const std::size_t own = blocks.bytes(team.rank());
  std::byte* const own_place = at(out, blocks.offset(team.rank()));
  const std::size_t longest = blocks.longest(team.size());
  const Cut cut = Cut::of(team, longest, 1, longest * team.n());
  pipeline(
      team, cut,
      [&](std::uint64_t i, std::byte* slot) {
        cut.into_slot(slot, at(in, i * cut.most), cut.length(own, i));
      },
      [&](std::uint64_t i, const auto& slot_of) {
        cut.into_result(at(own_place, i * cut.most), at(in, i * cut.most), cut.length(own, i));
        for_each_other(team, [&](int r) {
          cut.into_result(at(out, blocks.offset(r) + i * cut.most), slot_of(r),
                          cut.length(blocks.bytes(r), i));
        });
      });
}

void gather(Team& team, const std::byte* in, std::size_t bytes, std::byte* out,
            const ByteBlocks& blocks, std::size_t longest, int root) {
  const std::size_t touched = team.rank() == root ? longest * team.n() : bytes;
  const Cut cut = Cut::of(team, longest, 1, touched);
  stream(
      team, cut, team.rank() != root,
      [&](std::uint64_t i, std::byte* slot) {
        cut.into_slot(slot, at(in, i * cut.most), cut.length(bytes, i));
      },
      [&](std::uint64_t i, const auto& slot_of) {
        const auto place = [&](int r) { return at(out, blocks.offset(r) + i * cut.most); };
        cut.into_result(place(root), at(in, i * cut.most), cut.length(bytes, i));
        for_each_other(team, [&](int r) {
          cut.into_result(place(r), slot_of(r), cut.length(blocks.bytes(r), i));
        });
      });
}

void scatter(Team& team, const std::byte* in, const ByteBlocks& blocks, std::byte* out,
             std::size_t bytes, std::size_t longest, int root) {
  const Cut cut = Cut::of(team, longest, team.others(), 2 * bytes);
  stream(
      team, cut, team.rank() == root,
      [&](std::uint64_t i, std::byte* slot) {
        const auto block = [&](int r) { return at(in, blocks.offset(r) + i * cut.most); };
        for_each_other(team, [&](int r) {
          cut.into_slot(part_of(slot, root, r, cut.most), block(r), cut.length(blocks.bytes(r), i));
        });
      },
      [&](std::uint64_t i, const auto& slot_of) {
        cut.into_result(at(out, i * cut.most), part_of(slot_of(root), root, team.rank(), cut.most),
                        cut.length(bytes, i));
      });
  if (team.rank() == root) cut.into_result(out, at(in, blocks.offset(root)), bytes);
}

void all_to_all(Team& team, const std::byte* in, const ByteBlocks& in_blocks, std::byte* out,
                const ByteBlocks& out_blocks, std::size_t longest) {
  const int me = team.rank();
  const Cut cut = Cut::of(team, longest, team.others(), in == out ? 0 : 2 * longest * team.n());
  pipeline(
      team, cut,
      [&](std::uint64_t i, std::byte* slot) {
        const auto block = [&](int r) { return at(in, in_blocks.offset(r) + i * cut.most); };
        for_each_other(team, [&](int r) {
          cut.into_slot(part_of(slot, me, r, cut.most), block(r),
                        cut.length(in_blocks.bytes(r), i));
        });
      },
      [&](std::uint64_t i, const auto& slot_of) {
        cut.into_result(at(out, out_blocks.offset(me) + i * cut.most),
                        at(in, in_blocks.offset(me) + i * cut.most),
                        cut.length(in_blocks.bytes(me), i));
        for_each_other(team, [&](int r) {
          cut.into_result(at(out, out_blocks.offset(r) + i * cut.most),
                          part_of(slot_of(r), r, me, cut.most), cut.length(out_blocks.bytes(r), i));
        });
      });
}

BlockSizes tell_sizes(Team& team, BlockSizes sizes, int root) {
  broadcast(team, reinterpret_cast<std::byte*>(&sizes), sizeof sizes, root);
  return sizes;
}

BlockSizes agree_sizes(Team& team, BlockSizes sizes) {
  const BlockSizes own = sizes;
  tell_each_other(team, own, [&](int, const BlockSizes& theirs) {
    sizes.longest = std::max(sizes.longest, theirs.longest);
    sizes.total = std::max(sizes.total, theirs.total);
  });
  return sizes;
}

}  // namespace tutti::mpi::node
