// What NCCL can do with tutti's arithmetic. It differs, and is not used, where a promise would not
// hold: min and max of floating point lose NaN and the order of zeros, the mean of integers is that
// of a wrapped sum. Where it is used, the small floats are rounded after each step rather than
// once, and a floating mean multiplies by 1/n before it adds; reduce_op.hpp says so.
#include "nccl/table.hpp"

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

bool is_float8(DataType type) noexcept {
  return type == DataType::float8_e4m3 || type == DataType::float8_e5m2;
}

// The type that NCCL reduces with; complex goes in pairs.
Wire reduction_wire(DataType type) noexcept {
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

Support no(std::string why) {
  return {false, std::move(why)};
}

Support supported_scalar(const ReduceOp& op, DataType type) {
  if (op.device_scalar() != nullptr) {
    if (family_of(type) == TypeFamily::complex) return no("NCCL multiplies by no complex scalar");
    return op.scalar_type() == type ? Support{}
                                    : no("the scalar on the device has another type than the data");
  }
  if (family_of(type) != TypeFamily::complex) return {};
  unsigned char real[16];
  // A real scalar scales both parts alike.
  const DataType part = type == DataType::complex64 ? DataType::float32 : DataType::float64;
  return convert_scalar(op, part, real) ? Support{} : no("NCCL multiplies by no complex scalar");
}

Support supported_reduction(const ReduceOp& op, DataType type, const Abilities& abilities) {
  const TypeFamily family = family_of(type);
  if (type == DataType::int16 || type == DataType::uint16)
    return no(text("NCCL reduces no ", to_string(type)));
  if (is_float8(type) && (abilities.version < first_with_small_floats || abilities.capability < 9))
    return no(text("NCCL reduces ", to_string(type), " from ",
                   version_text(first_with_small_floats),
                   " on and on devices of compute capability 9; here are ",
                   version_text(abilities.version), " and ", abilities.capability));
  if (family == TypeFamily::boolean)
    return no("NCCL takes the bytes of bool for numbers; any but 0 must be true");
  const bool scales = op.kind() == Kind::avg || op.kind() == Kind::pre_multiplied;
  if (is_float8(type) && scales && abilities.ranks == 1)
    return no(text("NCCL on one rank scales no ", to_string(type)));  // seen with 2.28.3
  switch (op.kind()) {
    case Kind::sum:
      return {};
    case Kind::prod:
      return family == TypeFamily::complex ? no("NCCL has no complex product") : Support{};
    case Kind::min:
    case Kind::max:
      return family == TypeFamily::real ? no("NCCL's min and max of floating point lose NaN")
                                        : Support{};
    case Kind::avg:
      return family == TypeFamily::integer ? no("NCCL's mean of integers is that of a wrapped sum")
                                           : Support{};
    case Kind::logical_and:
    case Kind::logical_or:
    case Kind::logical_xor:
    case Kind::bitwise_and:
    case Kind::bitwise_or:
    case Kind::bitwise_xor:
      break;
    case Kind::pre_multiplied:
      return supported_scalar(op, type);
    case Kind::user:
      return no("a user's function runs on the host");
  }
  return no(text("NCCL has no ", to_string(op.kind())));
}

ncclRedOp_t operator_of(Kind kind) noexcept {
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
  return reduction_wire(type);
}

Support supported(const Operation& operation, const Abilities& abilities) {
  if (operation.kind == OperationKind::scan || operation.kind == OperationKind::exclusive_scan)
    return no("NCCL has no scan");
  if (is_point_to_point(operation.kind) && operation.tag != 0)
    return no("NCCL's messages have no tags");
  if (!reduces(operation.kind)) return {};
  return supported_reduction(operation.op, operation.send.type, abilities);
}

Reduction reduction_of(const Operation& operation) noexcept {
  const DataType type = operation.send.type;
  return {reduction_wire(type), operator_of(operation.op.kind()),
          operation.op.kind() == Kind::pre_multiplied};
}

}  // namespace tutti::nccl
