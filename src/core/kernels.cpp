#include "core/kernels.hpp"

#include "core/kernel_table.hpp"
#include "core/kernels_x86.hpp"
#include "core/variables.hpp"

namespace tutti {

namespace {

Isa best_isa() noexcept {
  Isa best = Isa::portable;
  for (const Isa isa : all_isas)
    if (kernel_table(isa) != nullptr) best = isa;
  return best;
}

// A value that makes no sense is told when a communicator is made.
Isa chosen_isa() noexcept try { return isa_from_environment().value_or(best_isa()); } catch (...) {
  return best_isa();
}

}  // namespace

const Kernels& kernels(const KernelTable& table, ReduceOp::Kind kind, DataType type) noexcept {
  return table.cells[static_cast<std::size_t>(kind)][static_cast<std::size_t>(type)];
}

const KernelTable* kernel_table(Isa isa) noexcept {
  switch (isa) {
    case Isa::portable: {
      static const KernelTable table = make_kernel_table<Baseline>();
      return &table;
    }
    case Isa::avx2:
      return avx2_kernel_table();
    case Isa::avx512:
      return avx512_kernel_table();
  }
  __builtin_unreachable();
}

const KernelTable& chosen_kernel_table() noexcept {
  static const KernelTable& chosen = *kernel_table(chosen_isa());
  return chosen;
}

}  // namespace tutti
