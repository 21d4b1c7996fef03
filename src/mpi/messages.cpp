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

}  // namespace

std::optional<Error> mismatch_of(const Step& receive, const MPI_Status& status) {
  const int received = count_of(status, receive.wire);
  if (received == receive.count) [[likely]]
    return std::nullopt;
  return mismatch(received, receive.count, receive.peer, receive.tag);
}

std::optional<Error> exchange(const Step* send, const Step* receive, MPI_Comm comm) {
  if (receive == nullptr) {
    TUTTI_MPI(MPI_Send(send->in, send->count, send->wire, send->peer, send->tag, comm));
    return std::nullopt;
  }
  MPI_Status status;
  if (send == nullptr)
    TUTTI_MPI(MPI_Recv(receive->out, receive->count, receive->wire, receive->peer, receive->tag,
                       comm, &status));
  else
    TUTTI_MPI(MPI_Sendrecv(send->in, send->count, send->wire, send->peer, send->tag, receive->out,
                           receive->count, receive->wire, receive->peer, receive->tag, comm,
                           &status));
  return mismatch_of(*receive, status);
}

// On the way of every short message: nothing is put into steps.
bool run_message(const Operation& op, const Session& session) {
  const std::size_t max = session.options().max_count;
  if (op.send.count > max || op.receive.count > max) return false;  // 0 where there is no such side
  const auto out = static_cast<int>(op.send.count);
  const auto in = static_cast<int>(op.receive.count);
  const MemoryView& data = op.send.given ? op.send : op.receive;
  const MPI_Datatype wire = wire_type(size_of(data.type));
  const MPI_Comm comm = session.comm();
  MPI_Status status;
  if (op.kind == OperationKind::send) {
    TUTTI_MPI(MPI_Send(op.send.data, out, wire, op.to, op.tag, comm));
    return true;
  }
  if (op.kind == OperationKind::recv) {
    TUTTI_MPI(MPI_Recv(op.receive.data, in, wire, op.from, op.tag, comm, &status));
  } else {
    if (op.send.data == op.receive.data && out != 0) return false;
    TUTTI_MPI(MPI_Sendrecv(op.send.data, out, wire, op.to, op.tag, op.receive.data, in, wire,
                           op.from, op.tag, comm, &status));
  }
  if (const int received = count_of(status, wire); received != in) [[unlikely]]
    throw mismatch(received, in, op.from, op.tag);
  return true;
}

}  // namespace tutti::mpi
