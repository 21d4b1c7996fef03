#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/activity.hpp"
#include "core/operation_key.hpp"
#include "nccl/single_call.hpp"

namespace tutti {

/// Operations on device memory that were enqueued before, each with the one call of NCCL's that it
/// came to. Programs repeat the same few operations on the same buffers, and what was checked once
/// is right again: finding it takes a third of checking it, in a place where the launch of a kernel
/// has left the processor's caches full of the driver's code. What is known is that memory which
/// was the device's still is, as in CheckedMemory.
class RepeatedCalls {
 public:
  /// Null if it is not known.
  const nccl::SingleCall* find(const Operation& operation) const noexcept {
    const Key key(operation);
    const Slot& slot = slots_[key.slot()];
    return slot.key == key ? &slot.call : nullptr;
  }

  /// `given`: as the caller gave it; it is served by `call` each time.
  void add(const Operation& given, const nccl::SingleCall& call) noexcept {
    const Key key(given);
    slots_[key.slot()] = {key, call};
  }

  /// Whether it may be added: all of it is in what it is found by, and its memory is said to be the
  /// device's. Where nothing is said, an old answer could send it the wrong way.
  static bool takes(const Operation& operation) noexcept {
    return operation.kind != OperationKind::barrier && !operation.uneven && operation.tag == 0 &&
           operation.timeout.count() < 0 && operation.op.kind() <= ReduceOp::Kind::avg &&
           declared(operation.send) && declared(operation.receive);
  }

 private:
  static bool declared(const MemoryView& side) noexcept {
    return !side.given || side.kind == MemoryKind::device;
  }

  static constexpr unsigned slot_bits = 5;

  struct Key {
    Key() = default;
    explicit Key(const Operation& op) noexcept
        : in(op.send.data),
          out(op.receive.data),
          in_count(op.send.count),
          out_count(op.receive.count),
          // What `takes` excludes has the highest bits.
          kinds(operation_key::wide(op.kind) | operation_key::wide(op.op.kind()) << 8U |
                operation_key::wide(op.one_range) << 16U | operation_key::side(op.send) << 24U |
                operation_key::side(op.receive) << 40U | operation_key::wide(op.uneven) << 60U |
                operation_key::wide(op.tag != 0) << 61U |
                operation_key::wide(op.timeout.count() >= 0) << 62U),
          peers(peer(is_collective(op.kind) ? op.root : op.to) | peer(op.from) << 32U) {}
    bool operator==(const Key&) const = default;
    std::size_t slot() const noexcept {
      const auto address =
          reinterpret_cast<std::uintptr_t>(in) ^ (reinterpret_cast<std::uintptr_t>(out) << 1U);
      return operation_key::place_of(address + out_count + kinds, slot_bits);
    }

    static std::uint64_t peer(int rank) noexcept { return static_cast<std::uint32_t>(rank); }

    const void* in = nullptr;
    const void* out = nullptr;
    std::size_t in_count = 0;
    std::size_t out_count = 0;
    std::uint64_t kinds = ~std::uint64_t{0};  // of no operation
    std::uint64_t peers = 0;
  };
  struct alignas(64) Slot {
    Key key;
    nccl::SingleCall call;
  };
  std::array<Slot, std::size_t{1} << slot_bits> slots_{};
};

}  // namespace tutti
