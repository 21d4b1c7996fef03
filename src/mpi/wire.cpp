#include "mpi/wire.hpp"

#include <array>
#include <atomic>
#include <iterator>
#include <mutex>
#include <utility>

#include "core/fold.hpp"
#include "mpi/call.hpp"
#include "mpi/lifetime.hpp"

namespace tutti::mpi {

namespace {

constexpr std::size_t kinds = std::size(all_reduce_kinds);
constexpr std::size_t types = std::size(all_data_types);

std::mutex wire_mutex;
std::atomic<MPI_Datatype> sixteen_bytes{MPI_DATATYPE_NULL};

std::atomic<MPI_Op>& slot(std::size_t index) {
  static std::atomic<MPI_Op> ops[kinds * types];
  static const bool cleared = [] {
    for (auto& op : ops) op.store(MPI_OP_NULL);
    return true;
  }();
  static_cast<void>(cleared);
  return ops[index];
}

// Filled before the operation that calls it is made.
CombineFunction functions_by_index[kinds * types];

// An MPI operation gets no context, so each pair has a function of its own.
template <std::size_t index>
void apply(void* in, void* inout, int* count, MPI_Datatype*) {
  functions_by_index[index](in, inout, static_cast<std::size_t>(*count));
}

template <std::size_t... index>
constexpr std::array<MPI_User_function*, sizeof...(index)> functions(
    std::index_sequence<index...>) {
  return {apply<index>...};
}
constexpr auto apply_functions = functions(std::make_index_sequence<kinds * types>{});

void free_all() {
  MPI_Datatype type = sixteen_bytes.exchange(MPI_DATATYPE_NULL);
  if (type != MPI_DATATYPE_NULL) static_cast<void>(MPI_Type_free(&type));
  for (std::size_t i = 0; i < kinds * types; ++i) {
    MPI_Op op = slot(i).exchange(MPI_OP_NULL);
    if (op != MPI_OP_NULL) static_cast<void>(MPI_Op_free(&op));
  }
}

void free_at_finalize() {
  static const bool registered = [] {
    at_finalize(free_all);
    return true;
  }();
  static_cast<void>(registered);
}

MPI_Datatype make_sixteen_bytes() {
  const std::lock_guard lock(wire_mutex);
  MPI_Datatype type = sixteen_bytes.load();
  if (type != MPI_DATATYPE_NULL) return type;
  free_at_finalize();
  TUTTI_MPI(MPI_Type_contiguous(2, MPI_UINT64_T, &type));
  TUTTI_MPI(MPI_Type_commit(&type));
  sixteen_bytes.store(type);
  return type;
}

MPI_Op make_op(std::size_t index, CombineFunction combine) {
  const std::lock_guard lock(wire_mutex);
  MPI_Op op = slot(index).load();
  if (op != MPI_OP_NULL) return op;
  free_at_finalize();
  functions_by_index[index] = combine;
  TUTTI_MPI(MPI_Op_create(apply_functions[index], 1, &op));
  slot(index).store(op);
  return op;
}

}  // namespace

MPI_Datatype wire_type(std::size_t size) {
  switch (size) {
    case 1:
      return MPI_UINT8_T;
    case 2:
      return MPI_UINT16_T;
    case 4:
      return MPI_UINT32_T;
    case 8:
      return MPI_UINT64_T;
    default:
      break;
  }
  const MPI_Datatype type = sixteen_bytes.load(std::memory_order_acquire);
  return type != MPI_DATATYPE_NULL ? type : make_sixteen_bytes();
}

MPI_Op wire_op(ReduceOp::Kind kind, DataType type) {
  const std::size_t index = static_cast<std::size_t>(kind) * types + static_cast<std::size_t>(type);
  const MPI_Op op = slot(index).load(std::memory_order_acquire);
  if (op != MPI_OP_NULL) return op;
  const CombineFunction combine = combine_function(kind, type);
  return combine == nullptr ? MPI_OP_NULL : make_op(index, combine);
}

}  // namespace tutti::mpi
