#include "nccl/engine.hpp"

#include "core/backoff.hpp"
#include "core/text.hpp"
#include "nccl/available.hpp"
#include "nccl/issue.hpp"
#include "nccl/task.hpp"
#include "nccl/version.hpp"

namespace tutti::nccl {

std::unique_ptr<NcclBackend> make_backend(std::shared_ptr<Bootstrap> bootstrap, Device device) {
  return std::make_unique<Engine>(std::move(bootstrap), device);
}

Resources::Resources() : word(cuda::allocate_device(16)) {}
Resources::~Resources() {
  cuda::free_device(word);
}

Engine::Engine(std::shared_ptr<Bootstrap> bootstrap, Device device)
    : rank_(bootstrap->rank()), size_(bootstrap->size()), bootstrap_(std::move(bootstrap)) {
  if (device) choice_ = DeviceChoice{device, {}};
  if (bootstrap_->options().nccl == NcclPolicy::never)
    become_unavailable("Options::nccl is never (TUTTI_NCCL)");
}

Engine::~Engine() {
  if (handle_ == nullptr || exiting()) {
    // After an abort the streams may never become idle; at exit CUDA may be gone. The process gives
    // everything back.
    static_cast<void>(handle_.release());
    static_cast<void>(resources_.release());
    return;
  }
  registry_->close();
  if (bootstrap_->abort_flag().aborted.load(std::memory_order_relaxed)) handle_->abort();
  handle_.reset();
  try {
    const cuda::DeviceGuard guard(ordinal_);
    resources_.reset();
  } catch (const std::exception&) {
    static_cast<void>(resources_.release());
  }
}

void Engine::become_unavailable(const std::string& why) {
  state_ = State::unavailable;
  why_ = why;
}

std::string Engine::reason() const {
  if (state_ == State::unavailable) return why_;
  if (state_ == State::joined) return {};
  if (!why_unavailable().empty()) return why_unavailable();
  return choice().why_none;
}

const DeviceChoice& Engine::choice() const {
  if (!choice_) choice_ = choose_device(bootstrap_->local_rank(), bootstrap_->local_size());
  return *choice_;
}

Device Engine::device() const {
  return choice().device;
}

Support Engine::supports(const Operation& operation) const {
  if (!on_device(operation)) return {false, "NCCL takes device memory"};
  if (state_ == State::joined) return supported(operation, abilities_);
  if (const std::string why = reason(); !why.empty()) return {false, why};
  if (is_point_to_point(operation.kind))
    return {false,
            "NCCL is joined by all ranks together, at the first collective on device memory "
            "(or at once, by Options::join, TUTTI_NCCL_JOIN)"};
  return supported(operation, {loaded_version(), cuda::capability_of(choice().device.ordinal())});
}

std::string Engine::algorithm(const Operation& operation) const {
  std::string words =
      text("NCCL ", version_text(loaded_version()), " on device ", device().ordinal());
  if (operation.uneven) words += ", one group of messages";
  if (state_ == State::apart) words += ", to be joined";
  return words;
}

void Engine::refuse_without_handle() {
  throw Error(Errc::broken, "NCCL is not joined, or was aborted after an earlier failure");
}

inline void Engine::issue(const Load& load, cuda::StreamHandle stream, Deadline deadline) {
  try {
    if (load.graph != nullptr) return load.graph->launch(stream);
    Issuer(handle(), rank(), size(), stream, resources_->word, deadline).issue(load.operations);
  } catch (...) {
    give_up();
    throw;
  }
}

void Engine::run(const Load& load, Deadline deadline) {
  handle();
  const cuda::DeviceGuard guard(ordinal_);
  issue(load, resources_->ordered.handle(), deadline);
  if (wait([&] { return resources_->ordered.idle(); }, deadline)) return;
  give_up();
  throw Error(Errc::timeout, "the deadline passed before the device was done");
}

std::unique_ptr<Task> Engine::prepare(OperationList operations) {
  handle();
  return std::make_unique<NcclTask>(*this, operations);
}

void Engine::begin(const Load& load, cuda::Event& done) {
  handle();
  const cuda::DeviceGuard guard(ordinal_);
  resources_->mark.record(cuda::legacy_stream());
  resources_->mark.order(resources_->apart.handle());
  issue(load, resources_->apart.handle(), Deadline());
  done.record(resources_->apart.handle());
}

void Engine::enqueue(const Load& load, cudaStream_t stream, Deadline deadline) {
  handle();
  const cuda::DeviceGuard guard(ordinal_);
  if (cuda::is_default_stream(stream)) [[unlikely]]
    return enqueue_on_default(load, stream, deadline);
  issue(load, stream, deadline);
}

std::optional<SingleCall> Engine::repeatable(const Operation& operation) const {
  if (!serves(operation) || !is_complete(operation)) return std::nullopt;
  return single_call_of(operation, size_);
}

bool Engine::repeat(const SingleCall& call, cudaStream_t stream) {
  if (cuda::is_default_stream(stream)) [[unlikely]]
    return false;
  // Which device is current does not matter: the stream is of the right one, and NCCL turns to its
  // communicator's by itself. Asking for it costs more than all else that is done here.
  const ncclResult_t result = handle().make(call, stream);
  if (result != ncclSuccess) [[unlikely]]
    settle_repeated(result, call);
  return true;
}

void Engine::settle_repeated(ncclResult_t result, const SingleCall& call) {
  try {
    handle().settle(result, name_of(call), Deadline());
  } catch (...) {
    give_up();
    throw;
  }
}

void Engine::enqueue_on_default(const Load& load, cudaStream_t stream, Deadline deadline) {
  // NCCL may launch from a thread of its own, where these handles mean another stream or none.
  resources_->mark.record(stream);
  resources_->mark.order(resources_->apart.handle());
  issue(load, resources_->apart.handle(), deadline);
  resources_->mark.record(resources_->apart.handle());
  resources_->mark.order(stream);
}

bool Engine::can_capture(OperationList operations) const noexcept {
  if (bootstrap_->options().timeout.count() != 0) return false;
  for (const Operation& operation : operations) {
    const bool exchanges = operation.kind == OperationKind::all_to_all &&
                           operation.send.data == operation.receive.data;  // takes scratch memory
    if (is_point_to_point(operation.kind) || exchanges) return false;
  }
  return true;
}

std::unique_ptr<cuda::Graph> Engine::capture(OperationList operations) {
  handle();
  const cuda::DeviceGuard guard(ordinal_);
  const cuda::StreamHandle stream = resources_->apart.handle();
  return std::make_unique<cuda::Graph>(stream,
                                       [&] { issue(Load{operations}, stream, Deadline()); });
}

void Engine::drop_graphs() noexcept {
  for (NcclTask* const task : tasks_) task->drop_graph();
}

bool Engine::wait(const std::function<bool()>& done, Deadline deadline) {
  constexpr int turns_between_looks = 16;
  Backoff backoff;
  try {
    for (int turn = 1; !done(); ++turn) {
      if (turn % turns_between_looks == 0) handle().check_asynchronous();
      if (bootstrap_->abort_flag().aborted.load(std::memory_order_relaxed))
        throw Error(Errc::aborted, "the communicator was aborted");
      if (deadline.passed()) return false;
      bootstrap_->progress();
      backoff.pause();
    }
  } catch (...) {
    give_up();
    throw;
  }
  return true;
}

void Engine::give_up() noexcept {
  if (handle_ == nullptr) return;
  drop_graphs();
  registry_->close();
  handle_->abort();
  handle_.reset();
}

}  // namespace tutti::nccl
