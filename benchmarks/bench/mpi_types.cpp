#include "bench/mpi_types.hpp"

namespace tutti::bench {
namespace {

enum class Family { integer, floating, complex, boolean, none };

/// The classes that the MPI standard defines its reductions on.
Family family(DataType type) noexcept {
  switch (type) {
    case DataType::int8:
    case DataType::uint8:
    case DataType::int16:
    case DataType::uint16:
    case DataType::int32:
    case DataType::uint32:
    case DataType::int64:
    case DataType::uint64:
      return Family::integer;
    case DataType::float32:
    case DataType::float64:
      return Family::floating;
    case DataType::complex64:
    case DataType::complex128:
      return Family::complex;
    case DataType::boolean:
      return Family::boolean;
    case DataType::float16:
    case DataType::bfloat16:
    case DataType::float8_e4m3:
    case DataType::float8_e5m2:
    case DataType::byte:
      break;
  }
  return Family::none;
}

/// MPI has no arithmetic on bool; its logical operations do the same.
MPI_Op boolean_op(ReduceOp::Kind kind) noexcept {
  using Kind = ReduceOp::Kind;
  if (kind == Kind::sum || kind == Kind::max || kind == Kind::logical_or) return MPI_LOR;
  if (kind == Kind::prod || kind == Kind::min || kind == Kind::logical_and) return MPI_LAND;
  return kind == Kind::logical_xor ? MPI_LXOR : MPI_OP_NULL;
}

}  // namespace

MPI_Datatype mpi_type(DataType type) noexcept {
  switch (type) {
    case DataType::int8:
      return MPI_INT8_T;
    case DataType::uint8:
      return MPI_UINT8_T;
    case DataType::int16:
      return MPI_INT16_T;
    case DataType::uint16:
      return MPI_UINT16_T;
    case DataType::int32:
      return MPI_INT32_T;
    case DataType::uint32:
      return MPI_UINT32_T;
    case DataType::int64:
      return MPI_INT64_T;
    case DataType::uint64:
      return MPI_UINT64_T;
    case DataType::float16:
    case DataType::bfloat16:
      return MPI_UINT16_T;
    case DataType::float32:
      return MPI_FLOAT;
    case DataType::float64:
      return MPI_DOUBLE;
    case DataType::complex64:
      return MPI_C_FLOAT_COMPLEX;
    case DataType::complex128:
      return MPI_C_DOUBLE_COMPLEX;
    case DataType::float8_e4m3:
    case DataType::float8_e5m2:
      return MPI_UINT8_T;
    case DataType::boolean:
      return MPI_C_BOOL;
    case DataType::byte:
      return MPI_BYTE;
  }
  return MPI_BYTE;
}

MPI_Op mpi_op(ReduceOp::Kind kind, DataType type) noexcept {
  using Kind = ReduceOp::Kind;
  const Family of = family(type);
  if (of == Family::boolean) return boolean_op(kind);
  const bool integer = of == Family::integer;
  const bool ordered = integer || of == Family::floating;
  const bool number = ordered || of == Family::complex;
  switch (kind) {
    case Kind::sum:
      return number ? MPI_SUM : MPI_OP_NULL;
    case Kind::prod:
      return number ? MPI_PROD : MPI_OP_NULL;
    case Kind::min:
      return ordered ? MPI_MIN : MPI_OP_NULL;
    case Kind::max:
      return ordered ? MPI_MAX : MPI_OP_NULL;
    case Kind::logical_and:
      return integer ? MPI_LAND : MPI_OP_NULL;
    case Kind::logical_or:
      return integer ? MPI_LOR : MPI_OP_NULL;
    case Kind::logical_xor:
      return integer ? MPI_LXOR : MPI_OP_NULL;
    case Kind::bitwise_and:
      return integer ? MPI_BAND : MPI_OP_NULL;
    case Kind::bitwise_or:
      return integer ? MPI_BOR : MPI_OP_NULL;
    case Kind::bitwise_xor:
      return integer ? MPI_BXOR : MPI_OP_NULL;
    case Kind::avg:
    case Kind::pre_multiplied:
    case Kind::user:
      break;
  }
  return MPI_OP_NULL;
}

}  // namespace tutti::bench
