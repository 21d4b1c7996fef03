#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/operation_key.hpp"
#include "diagnostics/record_file.hpp"
#include "tutti/operation.hpp"

namespace tutti {

/// Names of the backends that serve operations on host memory like those that were run before:
/// asking the backends, which say why not in words, takes as long as all else that recording does.
class KnownServers {
 public:
  /// Null if it is not known.
  const record_file::BackendName* find(const Operation& operation) const noexcept {
    const Key key(operation);
    const Slot& slot = slots_[key.slot()];
    return slot.sure && slot.key == key ? &slot.name : nullptr;
  }

  /// For an operation that is about to be run. Known from the second time on: the first operation
  /// that is run may show that a backend cannot serve its like after all.
  void add(const Operation& operation, const record_file::BackendName& name) noexcept {
    if (!takes(operation)) return;
    const Key key(operation);
    Slot& slot = slots_[key.slot()];
    slot = {key, name, slot.key == key};
  }

 private:
  /// Whether all that the choice of a backend depends on is in what it is found by.
  static bool takes(const Operation& operation) noexcept {
    return !operation.uneven && operation.timeout.count() < 0 &&
           operation.op.kind() < ReduceOp::Kind::pre_multiplied && on_host(operation.send) &&
           on_host(operation.receive);
  }
  static bool on_host(const MemoryView& side) noexcept {
    return !side.given || side.kind == MemoryKind::host;
  }

  static constexpr unsigned slot_bits = 4;

  struct Key {
    Key() = default;
    explicit Key(const Operation& op) noexcept
        : in_count(op.send.count),
          out_count(op.receive.count),
          // What `takes` excludes differs in these too.
          kinds(operation_key::wide(op.kind) | operation_key::wide(op.op.kind()) << 8U |
                operation_key::side(op.send) << 16U | operation_key::side(op.receive) << 32U |
                operation_key::wide(op.uneven) << 48U |
                operation_key::wide(op.timeout.count() >= 0) << 49U) {}
    bool operator==(const Key&) const = default;
    std::size_t slot() const noexcept {
      return operation_key::place_of(kinds + in_count + out_count, slot_bits);
    }

    std::size_t in_count = 0;
    std::size_t out_count = 0;
    std::uint64_t kinds = ~std::uint64_t{0};  // of no operation
  };
  struct Slot {
    Key key;
    record_file::BackendName name;
    bool sure = false;
  };
  std::array<Slot, std::size_t{1} << slot_bits> slots_{};
};

}  // namespace tutti
