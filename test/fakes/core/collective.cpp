#include "core/collective.hpp"

#include <algorithm>
#include <cstring>

#include "core/exchange.hpp"
#include "core/memory.hpp"
#include "core/script.hpp"

namespace fake {
namespace {

using Bytes = std::vector<char>;

std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}

/** The steps of one collective on this rank. Each returns false when aborted. */
class Collective {
 public:
  Collective(Comm& comm, const Operation& operation)
      : comm_(comm), call_(operation), size_(type_size(operation.type)) {
    descriptor_.kind = static_cast<std::uint32_t>(call_.kind);
    descriptor_.type = static_cast<std::uint32_t>(call_.type);
    descriptor_.op = static_cast<std::int32_t>(call_.reduction.op);
    descriptor_.root = call_.root;
    descriptor_.count = call_.count;
    descriptor_.sequence = ++comm_.collectives;
  }

  void run() {
    if (!agree()) return;
    switch (call_.kind) {
      case Kind::all_reduce:
        return all_reduce();
      case Kind::reduce:
        return reduce();
      case Kind::broadcast:
        return broadcast();
      case Kind::all_gather:
        return all_gather();
      case Kind::reduce_scatter:
        return reduce_scatter();
      case Kind::all_to_all:
        return all_to_all();
      case Kind::gather:
        return gather();
      case Kind::scatter:
        return scatter();
      case Kind::send:
      case Kind::recv:
        return;
    }
  }

 private:
  /** Everyone hears from everyone before data moves, so that any disagreement is found. */
  bool agree() {
    Exchange exchange(comm_);
    for (int peer = 0; peer < comm_.size; ++peer) {
      if (peer == comm_.rank) continue;
      exchange.send(peer, descriptor_, nullptr, 0);
      exchange.receive(peer, descriptor_, nullptr, 0);
    }
    return exchange.run();
  }

  const char* send_at(std::size_t element) const {
    return static_cast<const char*>(call_.send) + element * size_;
  }
  char* recv_at(std::size_t element) const {
    return static_cast<char*>(call_.recv) + element * size_;
  }

  /** This rank's input as it enters the reduction. */
  Bytes prepared(std::size_t count) const {
    Bytes copy(send_at(0), send_at(count));
    prepare(copy.data(), count, call_.type, call_.reduction, comm_.size);
    return copy;
  }

  /** Combines one block of `count` elements from each rank, in rank order. */
  Bytes combined(const std::vector<Bytes>& blocks, std::size_t count) const {
    Bytes result = blocks.front();
    for (std::size_t i = 1; i < blocks.size(); ++i) {
      combine(result.data(), blocks[i].data(), count, call_.type, call_.reduction);
    }
    finish(result.data(), count, call_.type, call_.reduction, comm_.size);
    return result;
  }

  /** Rank r gets elements [bounds[r], bounds[r+1]) of the sum in `mine`. */
  bool reduce_slices(const std::vector<std::size_t>& bounds, Bytes* mine) {
    const Bytes input = prepared(bounds.back());
    const std::size_t own = at(comm_.rank), count = bounds[own + 1] - bounds[own];
    std::vector<Bytes> blocks(at(comm_.size), Bytes(count * size_));
    Exchange exchange(comm_);
    for (int peer = 0; peer < comm_.size; ++peer) {
      const std::size_t from = bounds[at(peer)], to = bounds[at(peer) + 1];
      const char* slice = input.data() + from * size_;
      if (peer == comm_.rank) {
        blocks[at(peer)].assign(slice, slice + (to - from) * size_);
        continue;
      }
      exchange.send(peer, descriptor_, slice, (to - from) * size_);
      exchange.receive(peer, descriptor_, blocks[at(peer)].data(), count * size_);
    }
    if (!exchange.run()) return false;
    *mine = combined(blocks, count);
    return true;
  }

  void all_reduce() {
    std::vector<std::size_t> bounds;
    for (int i = 0; i <= comm_.size; ++i) {
      bounds.push_back(call_.count / at(comm_.size) * at(i) +
                       call_.count % at(comm_.size) * at(i) / at(comm_.size));
    }
    Bytes mine;
    if (!reduce_slices(bounds, &mine)) return;
    Exchange exchange(comm_);
    for (int peer = 0; peer < comm_.size; ++peer) {
      if (peer == comm_.rank) continue;
      exchange.send(peer, descriptor_, mine.data(), mine.size());
      exchange.receive(peer, descriptor_, recv_at(bounds[at(peer)]),
                       (bounds[at(peer) + 1] - bounds[at(peer)]) * size_);
    }
    std::copy(mine.begin(), mine.end(), recv_at(bounds[at(comm_.rank)]));
    exchange.run();
  }

  void reduce_scatter() {
    std::vector<std::size_t> bounds;
    for (int i = 0; i <= comm_.size; ++i) bounds.push_back(call_.count * at(i));
    Bytes mine;
    if (reduce_slices(bounds, &mine)) std::copy(mine.begin(), mine.end(), recv_at(0));
  }

  void reduce() {
    std::vector<std::size_t> bounds(at(comm_.size) + 1, 0);
    for (std::size_t i = at(call_.root) + 1; i < bounds.size(); ++i) bounds[i] = call_.count;
    Bytes mine;
    if (!reduce_slices(bounds, &mine) || comm_.rank != call_.root) return;
    std::copy(mine.begin(), mine.end(), recv_at(0));
  }

  void broadcast() {
    Exchange exchange(comm_);
    if (comm_.rank != call_.root) {
      exchange.receive(call_.root, descriptor_, call_.recv, call_.bytes());
    } else {
      for (int peer = 0; peer < comm_.size; ++peer) {
        if (peer != comm_.rank) exchange.send(peer, descriptor_, call_.send, call_.bytes());
      }
      std::memmove(call_.recv, call_.send, call_.bytes());
    }
    exchange.run();
  }

  void all_gather() {
    std::memmove(recv_at(call_.count * at(comm_.rank)), call_.send, call_.bytes());
    const char* own = recv_at(call_.count * at(comm_.rank));
    Exchange exchange(comm_);
    for (int peer = 0; peer < comm_.size; ++peer) {
      if (peer == comm_.rank) continue;
      exchange.send(peer, descriptor_, own, call_.bytes());
      exchange.receive(peer, descriptor_, recv_at(call_.count * at(peer)), call_.bytes());
    }
    exchange.run();
  }

  void all_to_all() {
    const Bytes input(send_at(0), send_at(call_.count * at(comm_.size)));
    Exchange exchange(comm_);
    for (int peer = 0; peer < comm_.size; ++peer) {
      const char* block = input.data() + call_.bytes() * at(peer);
      exchange.send(peer, descriptor_, block, call_.bytes());
      exchange.receive(peer, descriptor_, recv_at(call_.count * at(peer)), call_.bytes());
    }
    exchange.run();
  }

  void gather() {
    Exchange exchange(comm_);
    exchange.send(call_.root, descriptor_, call_.send, call_.bytes());
    for (int peer = 0; peer < comm_.size && comm_.rank == call_.root; ++peer) {
      exchange.receive(peer, descriptor_, recv_at(call_.count * at(peer)), call_.bytes());
    }
    exchange.run();
  }

  void scatter() {
    Exchange exchange(comm_);
    for (int peer = 0; peer < comm_.size && comm_.rank == call_.root; ++peer) {
      exchange.send(peer, descriptor_, send_at(call_.count * at(peer)), call_.bytes());
    }
    exchange.receive(call_.root, descriptor_, call_.recv, call_.bytes());
    exchange.run();
  }

  Comm& comm_;
  const Operation& call_;
  const std::size_t size_;
  Descriptor descriptor_;
};

bool is_point_to_point(const Operation& operation) {
  return operation.kind == Kind::send || operation.kind == Kind::recv;
}

/** Sends and receives agree on bytes only, like the real ones. */
void run_point_to_point(Comm& comm, const std::vector<Operation>& operations) {
  Exchange exchange(comm);
  bool any = false;
  for (const Operation& operation : operations) {
    if (!is_point_to_point(operation)) continue;
    any = true;
    Descriptor descriptor;
    descriptor.kind = static_cast<std::uint32_t>(Kind::send);
    descriptor.count = operation.bytes();
    if (operation.kind == Kind::send) {
      exchange.send(operation.root, descriptor, operation.send, operation.bytes());
    } else {
      exchange.receive(operation.root, descriptor, operation.recv, operation.bytes());
    }
  }
  if (any) exchange.run();
}

void corrupt(const Comm& comm, const Operation& operation) {
  const std::size_t bytes = operation.recv_bytes(comm);
  if (operation.corrupt == nullptr || bytes == 0) return;
  const auto byte = static_cast<std::size_t>(operation.corrupt->number("byte", 0)) % bytes;
  static_cast<char*>(operation.recv)[byte] ^= 0x10;
}

}  // namespace

const char* kind_name(Kind kind) {
  static constexpr const char* names[] = {
      "ncclAllReduce", "ncclReduce", "ncclBroadcast", "ncclAllGather", "ncclReduceScatter",
      "ncclAlltoAll",  "ncclGather", "ncclScatter",   "ncclSend/Recv", "ncclSend/Recv"};
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(names) ? names[index] : "unknown call";
}

std::size_t Operation::send_bytes(const Comm& comm) const {
  const bool root_only = kind == Kind::broadcast || kind == Kind::scatter;
  if (kind == Kind::recv || (root_only && comm.rank != root)) return 0;
  const bool blocks =
      kind == Kind::reduce_scatter || kind == Kind::all_to_all || kind == Kind::scatter;
  return bytes() * (blocks ? at(comm.size) : 1);
}

std::size_t Operation::recv_bytes(const Comm& comm) const {
  const bool root_only = kind == Kind::reduce || kind == Kind::gather;
  if (kind == Kind::send || (root_only && comm.rank != root)) return 0;
  const bool blocks = kind == Kind::all_gather || kind == Kind::all_to_all || kind == Kind::gather;
  return bytes() * (blocks ? at(comm.size) : 1);
}

const char* bad_memory(const Comm& comm, const Operation& operation) {
  if (!device_may_touch(operation.send, operation.send_bytes(comm))) return "send";
  if (!device_may_touch(operation.recv, operation.recv_bytes(comm))) return "receive";
  const void* scalar = operation.reduction.device_scalar;
  if (scalar != nullptr && !device_may_touch(scalar, type_size(operation.type))) return "scalar";
  return nullptr;
}

void execute(Comm& comm, const std::vector<Operation>& operations) {
  for (const Operation& operation : operations) {
    if (operation.stall) return comm.wait_for_abort();
    // Checked again: the memory may have been freed since the call.
    if (const char* which = bad_memory(comm, operation)) {
      comm.fail(ncclUnhandledCudaError, std::string(kind_name(operation.kind)) + ": the " + which +
                                            " buffer was freed while the operation was pending");
      return comm.wait_for_abort();
    }
  }
  for (const Operation& operation : operations) {
    if (!is_point_to_point(operation)) Collective(comm, operation).run();
    if (comm.aborted()) return;
  }
  run_point_to_point(comm, operations);
  for (const Operation& operation : operations) corrupt(comm, operation);
}

}  // namespace fake
