#include "diagnostics/pair_check.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/block_layout.hpp"
#include "core/text.hpp"
#include "mpi/call.hpp"

namespace tutti {

namespace {

constexpr std::int64_t nothing = -1;

std::int64_t block(const Blocks& blocks, int rank) noexcept {
  return static_cast<std::int64_t>(blocks.counts()[rank]);
}

// What this rank sends to `peer`.
std::int64_t sent_to(const Operation& op, int rank, int peer) noexcept {
  const auto whole = static_cast<std::int64_t>(op.send.count);
  switch (op.kind) {
    case OperationKind::all_gather:
      return whole;
    case OperationKind::gather:
      return peer == op.root ? whole : nothing;
    case OperationKind::scatter:
      return rank == op.root ? block(op.send_blocks, peer) : nothing;
    case OperationKind::reduce_scatter:
    case OperationKind::all_to_all:
      return block(op.send_blocks, peer);
    default:
      return nothing;
  }
}

// What this rank expects from `peer`.
std::int64_t expected_from(const Operation& op, int rank, int peer) noexcept {
  const auto whole = static_cast<std::int64_t>(op.receive.count);
  switch (op.kind) {
    case OperationKind::all_gather:
    case OperationKind::all_to_all:
      return block(op.receive_blocks, peer);
    case OperationKind::gather:
      return rank == op.root ? block(op.receive_blocks, peer) : nothing;
    case OperationKind::scatter:
      return peer == op.root ? whole : nothing;
    case OperationKind::reduce_scatter:
      return whole;
    default:
      return nothing;
  }
}

}  // namespace

void check_pairs(mpi::Session& session, const Operation& operation, Deadline deadline) {
  struct Memory {
    std::vector<std::int64_t> outgoing, incoming;
  };
  const int rank = session.rank();
  const auto memory = std::make_shared<Memory>();
  auto& [outgoing, incoming] = *memory;
  for (int peer = 0; peer < session.size(); ++peer)
    outgoing.push_back(sent_to(operation, rank, peer));
  incoming.resize(outgoing.size());
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Ialltoall(outgoing.data(), 1, MPI_INT64_T, incoming.data(), 1, MPI_INT64_T,
                          session.comm(), &request));
  session.finish(request, memory, deadline,
                 "not all ranks had told their blocks when the deadline passed");
  std::optional<Error> mismatch;
  for (int peer = 0; peer < session.size() && !mismatch; ++peer) {
    const std::int64_t sent = incoming[static_cast<std::size_t>(peer)];
    const std::int64_t expected = expected_from(operation, rank, peer);
    if (sent != expected)
      mismatch =
          Error(Errc::mismatch,
                text("rank ", peer, " sends ", sent, " elements, this rank expects ", expected),
                {describe(operation), rank, session.size()});
  }
  session.agree(mismatch, deadline);
}

}  // namespace tutti
