#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tutti/operation.hpp"

namespace tutti {

enum class Verb : std::uint8_t { run, start, plan, enqueue, split, window };

/// "run", ...
std::string_view to_string(Verb verb) noexcept;

/// Whether all ranks of the communicator take part in it.
constexpr bool is_collective(OperationKind kind) noexcept {
  return kind != OperationKind::send && kind != OperationKind::recv &&
         kind != OperationKind::send_recv;
}

/// Instead of the size of a group: no operation at all, but a split, or a window where there is
/// data.
inline constexpr std::uint32_t no_group = 0;

/// What is kept of an operation where there is no room for it: in records, and where other
/// processes read it.
struct Activity {
  OperationKind kind = OperationKind::barrier;
  DataType type = DataType::byte;
  ReduceOp::Kind reduction = ReduceOp::Kind::sum;
  bool has_data = false;
  std::int32_t peer = 0;    ///< the root, or the rank that is sent to or received from
  std::int32_t source = 0;  ///< that a send_recv receives from
  std::uint32_t group = 1;  ///< operations called together, of which this is the first
  std::uint64_t count = 0;
};

/// As `describe(operation)`; "split", "window of 4096 bytes".
std::string describe(const Activity& activity);

/// An Activity in three words. Made on the way of every call, so from an Operation at once.
struct PackedActivity {
  std::uint64_t words[3];
};

inline PackedActivity pack(const Operation& operation, std::size_t group) noexcept {
  const auto wide = [](auto value) { return static_cast<std::uint64_t>(value); };
  const auto high = [](auto value) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(value)) << 32U;
  };
  const MemoryView& data = operation.send.given ? operation.send : operation.receive;
  const int other = operation.kind == OperationKind::recv ? operation.from : operation.to;
  const int peer = is_collective(operation.kind) ? operation.root : other;
  return {{wide(operation.kind) | wide(data.type) << 8U | wide(operation.op.kind()) << 16U |
               wide(data.given) << 24U | high(peer),
           wide(static_cast<std::uint32_t>(operation.from)) | high(group), wide(data.count)}};
}

Activity unpack(const PackedActivity& packed) noexcept;

inline Activity activity_of(const Operation& operation) noexcept {
  return unpack(pack(operation, 1));
}

}  // namespace tutti
