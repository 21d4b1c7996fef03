// What NCCL can do with tutti's arithmetic. It differs, and is not used, where a promise would not
// hold: min and max of floating point lose NaN and the order of zeros, the mean of integers is that
// of a wrapped sum. Where it is used, the small floats are rounded after each step rather than
// once, and a floating mean multiplies by 1/n before it adds; reduce_op.hpp says so.
#include "nccl/table.hpp"

#include <array>

#include "core/reducible.hpp"
#include "core/scalar.hpp"
#include "core/text.hpp"
#include "nccl/version.hpp"

namespace tutti::nccl {

namespace {

using Kind = ReduceOp::Kind;

constexpr int first_with_small_floats = 22403;
constexpr auto float8_e4m3_code = static_cast<ncclDataType_t>(10);  // not in older headers
constexpr auto float8_e5m2_code = static_cast<ncclDataType_t>(11);

constexpr bool is_float8(DataType type) noexcept {
  return type == DataType::float8_e4m3 || type == DataType::float8_e5m2;
}

// The type that NCCL reduces with; complex goes in pairs.
constexpr Wire reduction_wire_of(DataType type) noexcept {
  switch (type) {
    case DataType::int8:
      return {ncclInt8};
    case DataType::uint8:
      return {ncclUint8};
    case DataType::int32:
      return {ncclInt32};
    case DataType::uint32:
      return {ncclUint32};
    case DataType::int64:
      return {ncclInt64};
    case DataType::uint64:
      return {ncclUint64};
    case DataType::float16:
      return {ncclFloat16};
    case DataType::bfloat16:
      return {ncclBfloat16};
    case DataType::float32:
      return {ncclFloat32};
    case DataType::float64:
      return {ncclFloat64};
    case DataType::complex64:
      return {ncclFloat32, 2};
    case DataType::complex128:
      return {ncclFloat64, 2};
    case DataType::float8_e4m3:
      return {float8_e4m3_code};
    case DataType::float8_e5m2:
      return {float8_e5m2_code};
    case DataType::int16:
    case DataType::uint16:
    case DataType::boolean:
    case DataType::byte:
      return {ncclUint8, size_of(type)};
  }
  __builtin_unreachable();
}

constexpr ncclRedOp_t operator_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::sum:
      return ncclSum;
    case Kind::prod:
      return ncclProd;
    case Kind::min:
      return ncclMin;
    case Kind::max:
      return ncclMax;
    case Kind::avg:
      return ncclAvg;
    case Kind::logical_and:
    case Kind::logical_or:
    case Kind::logical_xor:
    case Kind::bitwise_and:
    case Kind::bitwise_or:
    case Kind::bitwise_xor:
    case Kind::pre_multiplied:
    case Kind::user:
      return ncclSum;
  }
  __builtin_unreachable();
}

// Whatever the version, the devices and the scalar.
constexpr Obstacle obstacle_of(Kind kind, DataType type) noexcept {
  const TypeFamily family = family_of(type);
  if (type == DataType::int16 || type == DataType::uint16) return Obstacle::type;
  if (family == TypeFamily::boolean) return Obstacle::boolean;
  switch (kind) {
    case Kind::sum:
    case Kind::pre_multiplied:
      return Obstacle::none;
    case Kind::prod:
      return family == TypeFamily::complex ? Obstacle::complex_product : Obstacle::none;
    case Kind::min:
    case Kind::max:
      return family == TypeFamily::real ? Obstacle::order_of_floats : Obstacle::none;
    case Kind::avg:
      return family == TypeFamily::integer ? Obstacle::mean_of_integers : Obstacle::none;
    case Kind::logical_and:
    case Kind::logical_or:
    case Kind::logical_xor:
    case Kind::bitwise_and:
    case Kind::bitwise_or:
    case Kind::bitwise_xor:
      return Obstacle::kind;
    case Kind::user:
      return Obstacle::user_function;
  }
  __builtin_unreachable();
}

// Looked up rather than decided: after the launch of a kernel the processor has forgotten which way
// a decision goes.
struct Row {
  Wire wire;
  std::array<Obstacle, std::size(all_reduce_kinds)> obstacles;
};
constexpr auto rows = [] {
  std::array<Row, std::size(all_data_types)> made{};
  for (const DataType type : all_data_types) {
    Row& row = made[static_cast<std::size_t>(type)];
    row.wire = reduction_wire_of(type);
    for (const Kind kind : all_reduce_kinds)
      row.obstacles[static_cast<std::size_t>(kind)] = obstacle_of(kind, type);
  }
  return made;
}();

const Row& row_of(DataType type) noexcept {
  return rows[static_cast<std::size_t>(type)];
}

Obstacle obstacle_of_scalar(const ReduceOp& op, DataType type) noexcept {
  const bool is_complex = family_of(type) == TypeFamily::complex;
  if (op.device_scalar() != nullptr) {
    if (is_complex) return Obstacle::complex_scalar;
    return op.scalar_type() == type ? Obstacle::none : Obstacle::type_of_scalar;
  }
  if (!is_complex) return Obstacle::none;
  unsigned char real[16];
  // A real scalar scales both parts alike.
  const DataType part = type == DataType::complex64 ? DataType::float32 : DataType::float64;
  return convert_scalar(op, part, real) ? Obstacle::none : Obstacle::complex_scalar;
}

Obstacle obstacle_of_float8(const ReduceOp& op, const Abilities& abilities) noexcept {
  if (abilities.version < first_with_small_floats || abilities.capability < 9)
    return Obstacle::float8;
  const bool scales = op.kind() == Kind::avg || op.kind() == Kind::pre_multiplied;
  return scales && abilities.ranks == 1 ? Obstacle::float8_on_one_rank  // seen with 2.28.3
                                        : Obstacle::none;
}

}  // namespace

bool reduces(OperationKind kind) noexcept {
  switch (kind) {
    case OperationKind::all_reduce:
    case OperationKind::reduce:
    case OperationKind::reduce_scatter:
    case OperationKind::scan:
    case OperationKind::exclusive_scan:
      return true;
    case OperationKind::broadcast:
    case OperationKind::all_gather:
    case OperationKind::gather:
    case OperationKind::scatter:
    case OperationKind::all_to_all:
    case OperationKind::send:
    case OperationKind::recv:
    case OperationKind::send_recv:
    case OperationKind::barrier:
      return false;
  }
  __builtin_unreachable();
}

bool is_point_to_point(OperationKind kind) noexcept {
  return kind == OperationKind::send || kind == OperationKind::recv ||
         kind == OperationKind::send_recv;
}

Wire movement_wire(DataType type) noexcept {
  if (is_float8(type)) return {ncclUint8};  // whatever the version
  return row_of(type).wire;
}

Obstacle obstacle_to(const Operation& operation, const Abilities& abilities) noexcept {
  if (operation.kind == OperationKind::scan || operation.kind == OperationKind::exclusive_scan)
    return Obstacle::scan;
  if (is_point_to_point(operation.kind) && operation.tag != 0) return Obstacle::tag;
  if (!reduces(operation.kind)) return Obstacle::none;
  const ReduceOp& op = operation.op;
  const DataType type = operation.send.type;
  if (is_float8(type)) [[unlikely]] {
    const Obstacle obstacle = obstacle_of_float8(op, abilities);
    if (obstacle != Obstacle::none) return obstacle;
  }
  const Obstacle obstacle = row_of(type).obstacles[static_cast<std::size_t>(op.kind())];
  return op.kind() == Kind::pre_multiplied && obstacle == Obstacle::none
             ? obstacle_of_scalar(op, type)
             : obstacle;
}

std::string words_of(Obstacle obstacle, const Operation& operation, const Abilities& abilities) {
  const DataType type = operation.send.type;
  switch (obstacle) {
    case Obstacle::none:
      return {};
    case Obstacle::scan:
      return "NCCL has no scan";
    case Obstacle::tag:
      return "NCCL's messages have no tags";
    case Obstacle::type:
      return text("NCCL reduces no ", to_string(type));
    case Obstacle::float8:
      return text("NCCL reduces ", to_string(type), " from ", version_text(first_with_small_floats),
                  " on and on devices of compute capability 9; here are ",
                  version_text(abilities.version), " and ", abilities.capability);
    case Obstacle::float8_on_one_rank:
      return text("NCCL on one rank scales no ", to_string(type));
    case Obstacle::boolean:
      return "NCCL takes the bytes of bool for numbers; any but 0 must be true";
    case Obstacle::complex_product:
      return "NCCL has no complex product";
    case Obstacle::order_of_floats:
      return "NCCL's min and max of floating point lose NaN";
    case Obstacle::mean_of_integers:
      return "NCCL's mean of integers is that of a wrapped sum";
    case Obstacle::kind:
      return text("NCCL has no ", to_string(operation.op.kind()));
    case Obstacle::user_function:
      return "a user's function runs on the host";
    case Obstacle::complex_scalar:
      return "NCCL multiplies by no complex scalar";
    case Obstacle::type_of_scalar:
      return "the scalar on the device has another type than the data";
  }
  __builtin_unreachable();
}

Reduction reduction_of(const Operation& operation) noexcept {
  const DataType type = operation.send.type;
  return {row_of(type).wire, operator_of(operation.op.kind()),
          operation.op.kind() == Kind::pre_multiplied};
}

}  // namespace tutti::nccl
