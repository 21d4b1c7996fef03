#include "mpi/node/shared_buffers.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "core/shareable_memory.hpp"
#include "mpi/node/fold_pieces.hpp"
#include "mpi/node/movement.hpp"
#include "mpi/node/pipeline.hpp"

namespace tutti::mpi::node {

SharedBuffers::SharedBuffers(int ranks)
    : peers_(static_cast<std::size_t>(ranks)), ins_(peers_.size()), outs_(peers_.size()) {}

SharedBuffers::~SharedBuffers() {
  for (Peer& peer : peers_) forget(peer);
}

void SharedBuffers::forget(Peer& peer) noexcept {
  for (const auto& [id, mapping] : peer.mappings) munmap(mapping.data, mapping.bytes);
  peer.mappings.clear();
}

SharedBuffers::Address SharedBuffers::address_of(const void* data, std::size_t bytes) noexcept {
  const shareable::Place place = shareable::find(data, bytes);
  return {place.id, place.bytes, place.offset, SharedFile::of(place.file)};
}

std::byte* SharedBuffers::reach(int rank, const Address& address) {
  if (address.id == 0) return nullptr;
  auto& mappings = peers_[static_cast<std::size_t>(rank)].mappings;
  if (const auto known = mappings.find(address.id); known != mappings.end())
    return known->second.data + address.offset;
  const int file = address.file.open();
  if (file < 0) return nullptr;
  void* const data = mmap(nullptr, address.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (data == MAP_FAILED) return nullptr;
  const Mapping mapping{static_cast<std::byte*>(data), address.bytes};
  mappings.emplace(address.id, mapping);
  return mapping.data + address.offset;
}

bool SharedBuffers::all_agree(Team& team, bool mine) {
  bool all = mine;
  tell_each_other(team, mine, [&](int, bool theirs) { all = theirs && all; });
  return all;
}

/// Finds everybody's memory; true where all ranks have found it all.
bool SharedBuffers::meet(Team& team, const std::byte* in, std::byte* out, std::size_t bytes) {
  const Addresses own{address_of(in, bytes), address_of(out, bytes), shareable::released()};
  bool reached = own.in.id != 0 && own.out.id != 0;
  tell_each_other(team, own, [&](int r, const Addresses& theirs) {
    const auto i = static_cast<std::size_t>(r);
    if (peers_[i].released != theirs.released) forget(peers_[i]);
    peers_[i].released = theirs.released;
    ins_[i] = reach(r, theirs.in);
    outs_[i] = reach(r, theirs.out);
    reached = reached && ins_[i] != nullptr && outs_[i] != nullptr;
  });
  ins_[static_cast<std::size_t>(team.rank())] = in;
  outs_[static_cast<std::size_t>(team.rank())] = out;
  return all_agree(team, reached);
}

bool SharedBuffers::all_reduce(Team& team, const Arithmetic& arithmetic, const std::byte* in,
                               std::byte* out, std::size_t count) {
  const std::size_t bytes = count * arithmetic.element;
  if (!meet(team, in, out, bytes)) return false;
  const std::size_t slice = (bytes / team.n() / line_bytes + 1) * line_bytes;
  const std::size_t begin = std::min(bytes, slice * static_cast<std::size_t>(team.rank()));
  const std::size_t length = std::min(slice, bytes - begin);
  for (std::size_t r = 0; r < team.n(); ++r) team.arrays()[r] = ins_[r] + begin;
  const CopyFunction store = copy_or_stream(in != out && team.exceeds_caches(2 * bytes));
  fold_pieces(team, arithmetic, length,
              [&](std::size_t offset, const std::byte* piece, std::size_t n) {
                for (std::byte* const result : outs_) store(result + begin + offset, piece, n);
              });
  barrier(team);
  return true;
}

}  // namespace tutti::mpi::node
