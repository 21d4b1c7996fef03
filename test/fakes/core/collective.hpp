#pragma once

#include "core/nccl_api.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/arithmetic.hpp"
#include "core/comm.hpp"

namespace fake {

enum class Kind : std::uint32_t {
  all_reduce,
  reduce,
  broadcast,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  send,
  recv,
};

const char* kind_name(Kind kind);

/** One call on one rank. `count` is the call's own argument; `root` is the peer of send and recv.
 */
struct Operation {
  Kind kind = Kind::all_reduce;
  const void* send = nullptr;
  void* recv = nullptr;
  std::size_t count = 0;
  ncclDataType_t type = ncclInt8;
  Reduction reduction{};
  int root = 0;
  bool stall = false;                  // scripted: never ends
  const Statement* corrupt = nullptr;  // scripted: one wrong byte in the result

  std::size_t bytes() const { return count * type_size(type); }
  std::size_t send_bytes(const Comm& comm) const;
  std::size_t recv_bytes(const Comm& comm) const;
};

/** Null when the device may touch what the operation reads and writes, else which it may not. */
const char* bad_memory(const Comm& comm, const Operation& operation);

/** Runs collectives one by one and then all sends and receives at once; on a stream's worker. */
void execute(Comm& comm, const std::vector<Operation>& operations);

}  // namespace fake
