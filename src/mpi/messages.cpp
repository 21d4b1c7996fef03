#include "mpi/messages.hpp"

#include "core/text.hpp"
#include "mpi/call.hpp"
#include "mpi/wire.hpp"

namespace tutti::mpi {

namespace {

[[gnu::cold, gnu::noinline]] Error mismatch(int received, int count, int peer, int tag) {
  return Error(Errc::mismatch, text("rank ", peer, " sent ", received, " elements where ", count,
                                    " are to be received (tag ", tag, ")"));
}

int count_of(const MPI_Status& status, MPI_Datatype wire) {
  int received = 0;
  TUTTI_MPI(MPI_Get_count(&status, wire, &received));
  return received;
}

/// What MPI is told of one side.
struct Side {
  void* data;
  int count;
  MPI_Datatype wire;
  int peer;
  int tag;
};

/// How many elements came; one of the two may be null.
inline int transfer(const Side* out, const Side* in, MPI_Comm comm) {
  if (in == nullptr) {
    TUTTI_MPI(MPI_Send(out->data, out->count, out->wire, out->peer, out->tag, comm));
    return 0;
  }
  MPI_Status status;
  if (out == nullptr)
    TUTTI_MPI(MPI_Recv(in->data, in->count, in->wire, in->peer, in->tag, comm, &status));
  else
    TUTTI_MPI(MPI_Sendrecv(out->data, out->count, out->wire, out->peer, out->tag, in->data,
                           in->count, in->wire, in->peer, in->tag, comm, &status));
  return count_of(status, in->wire);
}

}  // namespace

std::optional<Error> mismatch_of(const Step& receive, const MPI_Status& status) {
  const int received = count_of(status, receive.wire);
  if (received == receive.count) [[likely]]
    return std::nullopt;
  return mismatch(received, receive.count, receive.peer, receive.tag);
}

std::optional<Error> exchange(const Step* send, const Step* receive, MPI_Comm comm) {
  Side out{}, in{};
  if (send != nullptr)
    out = {const_cast<void*>(static_cast<const void*>(send->in)), send->count, send->wire,
           send->peer, send->tag};
  if (receive != nullptr)
    in = {receive->out, receive->count, receive->wire, receive->peer, receive->tag};
  const int received =
      transfer(send != nullptr ? &out : nullptr, receive != nullptr ? &in : nullptr, comm);
  if (receive == nullptr || received == receive->count) return std::nullopt;
  return mismatch(received, in.count, in.peer, in.tag);
}

// On the way of every short message: nothing is put into steps.
bool run_message(const Operation& op, const Session& session) {
  const std::size_t max = session.options().max_count;
  if (op.send.count > max || op.receive.count > max) return false;  // 0 where there is no such side
  const bool sends = op.kind != OperationKind::recv;
  const bool receives = op.kind != OperationKind::send;
  if (sends && receives && op.send.data == op.receive.data && op.send.count != 0) return false;
  const MPI_Datatype wire = wire_type(size_of((op.send.given ? op.send : op.receive).type));
  const Side out{op.send.data, static_cast<int>(op.send.count), wire, op.to, op.tag};
  const Side in{op.receive.data, static_cast<int>(op.receive.count), wire, op.from, op.tag};
  const int received = transfer(sends ? &out : nullptr, receives ? &in : nullptr, session.comm());
  if (receives && received != in.count) [[unlikely]]
    throw mismatch(received, in.count, in.peer, in.tag);
  return true;
}

}  // namespace tutti::mpi
