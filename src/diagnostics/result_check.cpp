#include "diagnostics/result_check.hpp"

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "core/text.hpp"
#include "mpi/call.hpp"

namespace tutti {

namespace {

bool same_everywhere(const Operation& op) noexcept {
  const bool kind = op.kind == OperationKind::all_reduce || op.kind == OperationKind::broadcast ||
                    op.kind == OperationKind::all_gather;
  return kind && op.receive.kind != MemoryKind::device;
}

// Eight bytes at a time; every bit of them reaches every bit of the digest, sooner or later.
std::uint64_t mixed(std::uint64_t digest, const std::byte* data, std::size_t bytes) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
  for (std::uint64_t word = 0; bytes > 0; word = 0) {
    const std::size_t length = bytes < sizeof word ? bytes : sizeof word;
    std::memcpy(&word, data, length);
    digest = (digest ^ word) * odd;
    digest ^= digest >> 29U;
    data += length;
    bytes -= length;
  }
  return digest;
}

std::uint64_t checksum(const Operation& op) noexcept {
  const auto* const data = static_cast<const std::byte*>(op.receive.data);
  std::uint64_t digest = 1;
  if (!op.uneven) return mixed(digest, data, op.receive.bytes());
  // What lies between blocks is nobody's.
  const std::size_t element = size_of(op.receive.type);
  std::size_t packed = 0;
  for (std::size_t rank = 0; rank < op.receive_blocks.size(); ++rank) {
    const std::size_t count = op.receive_blocks.counts()[rank];
    const std::size_t* const offsets = op.receive_blocks.offsets();
    const std::size_t offset = offsets != nullptr ? offsets[rank] : packed;
    digest = mixed(digest, data + offset * element, count * element);
    packed += count;
  }
  return digest;
}

}  // namespace

void check_results(mpi::Session& session, const Operation& operation, std::uint64_t call,
                   Deadline deadline) {
  if (!same_everywhere(operation)) return;
  struct Memory {
    std::uint64_t mine;
    std::vector<std::uint64_t> all;
  };
  const auto memory = std::make_shared<Memory>(Memory{
      checksum(operation), std::vector<std::uint64_t>(static_cast<std::size_t>(session.size()))});
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Iallgather(&memory->mine, 1, MPI_UINT64_T, memory->all.data(), 1, MPI_UINT64_T,
                           session.comm(), &request));
  session.finish(request, memory, deadline,
                 "not all ranks had told their results when the deadline passed");
  std::map<std::uint64_t, std::vector<int>> groups;
  for (std::size_t rank = 0; rank < memory->all.size(); ++rank)
    groups[memory->all[rank]].push_back(static_cast<int>(rank));
  if (groups.size() == 1) return;
  std::string lines;
  for (const auto& [digest, ranks] : groups)
    lines += text("\n  ", ranks.size() == 1 ? "rank " : "ranks ", ranges_of(ranks), ": checksum ",
                  std::hex, digest, std::dec);
  throw Error(Errc::mismatch,
              text("the ranks do not have the same result (call ", call, " of communicator ",
                   session.id_text(), "):", lines),
              {describe(operation), session.rank(), session.size()});
}

}  // namespace tutti
