#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/operation.hpp"

namespace tutti::nccl {

/// One call of NCCL's with its arguments, but for the communicator and the stream: what most
/// operations come to. That of send_recv is two, in a group of their own.
struct SingleCall {
  OperationKind kind = OperationKind::all_reduce;  ///< whose call: ncclAllReduce, ...
  const void* in = nullptr;
  void* out = nullptr;
  std::size_t count = 0;       ///< as NCCL counts it; 0: there is nothing to call for
  std::int32_t type = 0;       ///< an ncclDataType_t; this header needs none of NCCL's
  std::int32_t reduction = 0;  ///< an ncclRedOp_t
  std::int32_t peer = 0;       ///< or root; of send_recv, the rank that it sends to
  std::int32_t from = 0;       ///< of send_recv alone, as the next
  std::size_t out_count = 0;
};

/// Whether a resolved operation that NCCL supports is one call of the loaded library.
bool is_single_call(const Operation& operation) noexcept;
/// That call. What the caller has to bring is missing: the word of a barrier, the operator of
/// pre_multiplied, and a copy of the input of all_to_all and send_recv in place.
SingleCall single_call_of(const Operation& operation, int size) noexcept;
/// Whether the call is the same, and complete, each time the operation is called.
bool is_complete(const Operation& operation) noexcept;
/// "ncclAllReduce", ...
const char* name_of(const SingleCall& call) noexcept;

}  // namespace tutti::nccl
