#include "tutti/reduce_op.hpp"

#include "core/reducible.hpp"

namespace tutti {

std::string_view to_string(ReduceOp::Kind kind) noexcept {
  using Kind = ReduceOp::Kind;
  switch (kind) {
    case Kind::sum:
      return "sum";
    case Kind::prod:
      return "prod";
    case Kind::min:
      return "min";
    case Kind::max:
      return "max";
    case Kind::avg:
      return "avg";
    case Kind::logical_and:
      return "logical_and";
    case Kind::logical_or:
      return "logical_or";
    case Kind::logical_xor:
      return "logical_xor";
    case Kind::bitwise_and:
      return "bitwise_and";
    case Kind::bitwise_or:
      return "bitwise_or";
    case Kind::bitwise_xor:
      return "bitwise_xor";
    case Kind::pre_multiplied:
      return "pre_multiplied";
    case Kind::user:
      return "user";
  }
  __builtin_unreachable();
}

bool reducible(ReduceOp::Kind kind, DataType type) noexcept {
  return (reducible_types[static_cast<std::size_t>(kind)] >> static_cast<unsigned>(type) & 1U) != 0;
}

}  // namespace tutti
