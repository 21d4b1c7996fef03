#include "mpi/messages.hpp"

#include "core/text.hpp"
#include "mpi/call.hpp"
#include "mpi/wire.hpp"

namespace tutti::mpi {

namespace {

Step message(StepKind kind, const MemoryView& data, int peer, int tag) {
  Step step;
  step.kind = kind;
  step.count = static_cast<int>(data.count);
  step.peer = peer;
  step.tag = tag;
  step.in = data.data;
  step.out = data.data;
  step.wire = wire_type(size_of(data.type));
  return step;
}

}  // namespace

std::optional<Error> mismatch_of(const Step& receive, const MPI_Status& status) {
  int received = 0;
  TUTTI_MPI(MPI_Get_count(&status, receive.wire, &received));
  if (received == receive.count) [[likely]]
    return std::nullopt;
  return Error(Errc::mismatch, text("rank ", receive.peer, " sent ", received, " elements where ",
                                    receive.count, " are to be received (tag ", receive.tag, ")"));
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

bool run_message(const Operation& op, const Session& session) {
  const std::size_t max = session.options().max_count;
  const bool sends = op.kind != OperationKind::recv;
  const bool receives = op.kind != OperationKind::send;
  if ((sends && op.send.count > max) || (receives && op.receive.count > max)) return false;
  if (sends && receives && op.send.data == op.receive.data && op.send.count != 0) return false;
  const Step out = message(StepKind::send, op.send, op.to, op.tag);
  const Step in = message(StepKind::receive, op.receive, op.from, op.tag);
  const auto mismatch = exchange(sends ? &out : nullptr, receives ? &in : nullptr, session.comm());
  if (mismatch) [[unlikely]]
    throw Error(*mismatch);
  return true;
}

}  // namespace tutti::mpi
