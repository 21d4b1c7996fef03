#pragma once

#include "core/reducible.hpp"
#include "core/visit_type.hpp"

namespace tutti {

/// Calls `visitor.template operator()<kind, T>()` if the reduction is defined on `type`, which `T`
/// stores.
template <ReduceOp::Kind kind, class Visitor>
void visit_reducible_type(DataType type, Visitor& visitor) {
  visit_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_reducible(kind, data_type_v<T>)) visitor.template operator()<kind, T>();
  });
}

/// The same with the kind known at run time. User functions have no arithmetic of ours: no call.
template <class Visitor>
void visit_reduction(ReduceOp::Kind kind, DataType type, Visitor&& visitor) {
  using Kind = ReduceOp::Kind;
  switch (kind) {
    case Kind::sum:
      return visit_reducible_type<Kind::sum>(type, visitor);
    case Kind::prod:
      return visit_reducible_type<Kind::prod>(type, visitor);
    case Kind::min:
      return visit_reducible_type<Kind::min>(type, visitor);
    case Kind::max:
      return visit_reducible_type<Kind::max>(type, visitor);
    case Kind::avg:
      return visit_reducible_type<Kind::avg>(type, visitor);
    case Kind::logical_and:
      return visit_reducible_type<Kind::logical_and>(type, visitor);
    case Kind::logical_or:
      return visit_reducible_type<Kind::logical_or>(type, visitor);
    case Kind::logical_xor:
      return visit_reducible_type<Kind::logical_xor>(type, visitor);
    case Kind::bitwise_and:
      return visit_reducible_type<Kind::bitwise_and>(type, visitor);
    case Kind::bitwise_or:
      return visit_reducible_type<Kind::bitwise_or>(type, visitor);
    case Kind::bitwise_xor:
      return visit_reducible_type<Kind::bitwise_xor>(type, visitor);
    case Kind::pre_multiplied:
      return visit_reducible_type<Kind::pre_multiplied>(type, visitor);
    case Kind::user:
      return;
  }
  __builtin_unreachable();
}

}  // namespace tutti
