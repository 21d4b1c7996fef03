#include "staged/backend.hpp"

#include <deque>

#include "core/backoff.hpp"
#include "cuda/runtime.hpp"
#include "staged/task.hpp"

namespace tutti::staged {

StagedBackend::StagedBackend(std::string name, Backend& inner, Route route,
                             std::shared_ptr<Bootstrap> bootstrap, std::function<int()> device,
                             std::string why_not)
    : name_(std::move(name)),
      inner_(inner),
      route_(route),
      bootstrap_(std::move(bootstrap)),
      device_(std::move(device)),
      why_not_(std::move(why_not)) {}

StagedBackend::~StagedBackend() = default;

Support StagedBackend::supports(const Operation& operation) const {
  const MemoryKind outer = route_ == Route::through_host ? MemoryKind::device : MemoryKind::host;
  const MemoryView& data = operation.send.given ? operation.send : operation.receive;
  if (data.given && data.count != 0 && data.kind != outer)
    return {false,
            route_ == Route::through_host ? "it stages device memory" : "it takes host memory"};
  if (!why_not_.empty()) return {false, why_not_};
  if (const std::string why = cuda::why_no_device(); !why.empty()) return {false, why};
  return inner_.supports(in_inner_memory(operation, route_));
}

std::string StagedBackend::algorithm(const Operation& operation) const {
  return std::string(route_ == Route::through_host ? "through pinned host memory, then "
                                                   : "through the device, then ") +
         std::string(inner_.name()) + ", " + inner_.algorithm(in_inner_memory(operation, route_));
}

Streams& StagedBackend::streams() {
  if (streams_ == nullptr) streams_ = std::make_unique<Streams>();
  return *streams_;
}

void StagedBackend::wait(const std::function<bool()>& done, Deadline deadline) const {
  for (Backoff backoff; !done(); backoff.pause()) {
    if (bootstrap_->abort_flag().aborted.load(std::memory_order_relaxed))
      throw Error(Errc::aborted, "the communicator was aborted");
    if (deadline.passed())
      throw Error(Errc::timeout, "the deadline passed before the copies were done");
    bootstrap_->progress();
  }
}

void StagedBackend::order_after(cudaStream_t stream) {
  const cuda::DeviceGuard guard(device());
  if (cuda::is_capturing(stream))
    throw Error(
        Errc::unsupported,
        "the stream is being captured, and this operation is staged through the host, which no "
        "graph can replay");
  streams().mark.record(stream);
  streams().mark.order(streams().in.handle());
}

std::size_t StagedBackend::elements_of_a_piece(const Operation& op) const noexcept {
  const MemoryView& data = op.send.given ? op.send : op.receive;
  std::size_t element = size_of(data.type);
  const bool blocks = op.kind == OperationKind::all_gather || op.kind == OperationKind::gather ||
                      op.kind == OperationKind::scatter ||
                      op.kind == OperationKind::reduce_scatter ||
                      op.kind == OperationKind::all_to_all;
  if (blocks) element *= static_cast<std::size_t>(size());
  return std::max<std::size_t>(1, piece_bytes / element);
}

void StagedBackend::run(OperationList operations, Deadline deadline) {
  if (operations.size() == 1) {
    const std::size_t elements = divisible_elements(operations.front(), size());
    const std::size_t piece = elements_of_a_piece(operations.front());
    if (elements > piece) return run_in_pieces(operations.front(), elements, piece, deadline);
  }
  StagedTask(*this, operations).run(deadline);
}

std::unique_ptr<Task> StagedBackend::prepare(OperationList operations) {
  return std::make_unique<StagedTask>(*this, operations);
}

void StagedBackend::enqueue(OperationList operations, cudaStream_t stream, Deadline deadline) {
  order_after(stream);
  run(operations, deadline);
}

// While the inner backend works on one piece, the next one is copied in and the last one out.
void StagedBackend::run_in_pieces(const Operation& operation, std::size_t elements,
                                  std::size_t piece, Deadline deadline) {
  struct Slot {
    std::unique_ptr<Stage> stage;
    cuda::Event arrived, left;
  };
  const cuda::DeviceGuard guard(device());
  Streams& s = streams();
  const std::size_t pieces = (elements + piece - 1) / piece;
  auto slots = std::make_unique<std::deque<Slot>>();
  const auto fetch = [&](std::size_t i) {
    if (slots->size() <= i % 3) slots->emplace_back();
    Slot& slot = (*slots)[i % 3];
    wait([&] { return slot.left.done(); }, deadline);
    slot.stage = std::make_unique<Stage>(operation, route_, rank(), size(), i * piece,
                                         std::min(piece, elements - i * piece));
    slot.stage->read_scalar(s.in.handle());
    slot.stage->copy_in(s.in.handle());
    slot.arrived.record(s.in.handle());
  };
  try {
    fetch(0);
    for (std::size_t i = 0; i < pieces; ++i) {
      if (i + 1 < pieces) fetch(i + 1);
      Slot& slot = (*slots)[i % 3];
      wait([&] { return slot.arrived.done(); }, deadline);
      inner_.run(OperationList(slot.stage->inner()), deadline);
      slot.stage->copy_out(s.out.handle());
      slot.left.record(s.out.handle());
    }
    wait([&] { return s.out.idle(); }, deadline);
  } catch (...) {
    // Copies or messages may still be at work on this memory: it is never used again.
    static_cast<void>(slots.release());
    throw;
  }
}

}  // namespace tutti::staged
