#include "dispatch.hpp"

#include <algorithm>

#include "core/activity.hpp"
#include "core/backoff.hpp"
#include "core/text.hpp"
#include "cuda/runtime.hpp"
#include "mpi/backend.hpp"
#include "mpi/bootstrap.hpp"

namespace tutti {

namespace {

/// Tasks of several backends as one.
class JointTask : public Task {
 public:
  explicit JointTask(std::vector<std::unique_ptr<Task>> tasks) : tasks_(std::move(tasks)) {}

  void run(Deadline deadline) override {
    start();
    if (!wait(deadline)) throw Error(Errc::timeout, "the deadline passed");
  }
  void start() override {
    for (auto& task : tasks_) task->start();
  }
  bool test() override {
    bool all = true;
    for (auto& task : tasks_) all = task->test() && all;
    return all;
  }
  bool wait(Deadline deadline) override {
    for (Backoff backoff; !test(); backoff.pause())
      if (deadline.passed()) return false;
    return true;
  }
  void enqueue(cudaStream_t stream, Deadline deadline) override {
    for (auto& task : tasks_) task->enqueue(stream, deadline);
  }
  bool join(cudaStream_t stream, Deadline deadline) override {
    bool all = true;
    for (auto& task : tasks_) all = task->join(stream, deadline) && all;
    return all;
  }

 private:
  std::vector<std::unique_ptr<Task>> tasks_;
};

std::string why_not_staged(const Options& options) {
  return options.fallback == Fallback::forbid ? "Options::fallback is forbid (TUTTI_FALLBACK)" : "";
}

}  // namespace

Dispatch::Dispatch(std::shared_ptr<mpi::Session> session, Device device)
    : session_(std::move(session)) {
  const auto add = [this](auto backend) {
    auto* const raw = backend.get();
    backends_.push_back(std::move(backend));
    return raw;
  };
  const auto bootstrap = std::make_shared<mpi::MpiBootstrap>(session_);
  mpi_ = add(std::make_unique<mpi::MpiBackend>(session_));
  nccl_ = add(nccl::make_backend(bootstrap, device));
  const auto ordinal = [nccl = nccl_] {
    const Device own = nccl->device();
    return own ? own.ordinal() : cuda::current_device();
  };
  staged_ = add(std::make_unique<staged::StagedBackend>(
      "staged", *mpi_, staged::Route::through_host, bootstrap, ordinal,
      why_not_staged(session_->options())));
  for_device_ = {nccl_, staged_};
  if (session_->options().host_path == HostPath::nccl)
    for_host_.push_back(add(std::make_unique<staged::StagedBackend>(
        "nccl", *nccl_, staged::Route::through_device, bootstrap, ordinal, "")));
  node_ = add(std::make_unique<mpi::node::NodeBackend>(session_));
  node_leads_ = for_host_.empty();
  for_host_.push_back(node_);
  for_host_.push_back(mpi_);
}

const Dispatch::Candidates& Dispatch::candidates(const Operation& operation) const noexcept {
  return serves_device(operation) ? for_device_ : for_host_;
}

Backend& Dispatch::backend_for(const Operation& operation) const {
  for (Backend* const backend : candidates(operation))
    if (backend->supports(operation)) return *backend;
  throw Error(Errc::unsupported, "no backend can: " + reasons_against(operation));
}

Choice Dispatch::choose(const Operation& operation) const {
  const Backend& backend = backend_for(operation);
  std::string reasons = reasons_against(operation);
  const std::string why = &backend == node_ ? node_->why_by_mpi(operation) : "";
  if (why.empty())
    return {std::string(backend.name()), backend.algorithm(operation), std::move(reasons)};
  reasons += text(reasons.empty() ? "" : "; ", backend.name(), ": ", why);
  return {std::string(mpi_->name()), mpi_->algorithm(operation), std::move(reasons)};
}

// The node's memory is for single collectives that are waited for at once.
std::string_view Dispatch::server_of(OperationList group, Verb verb) const {
  const Chosen chosen = verb == Verb::enqueue ? &Dispatch::backend_on_stream : chosen_for(group);
  const Backend& backend = (this->*chosen)(group.front());
  const bool apart = group.size() > 1 || verb == Verb::start;
  return &backend == node_ && apart ? mpi_->name() : backend.name();
}

std::string Dispatch::reasons_against(const Operation& operation) const {
  std::string reasons;
  for (const Backend* const backend : candidates(operation)) {
    const Support support = backend->supports(operation);
    if (support) break;
    reasons += text(reasons.empty() ? "" : "; ", backend->name(), ": ", support.reason);
  }
  return reasons;
}

bool Dispatch::same_backend(OperationList group, Chosen chosen) const {
  if (group.size() == 1) return true;
  const Backend& first = (this->*chosen)(group[0]);
  for (const Operation& operation : group)
    if (&(this->*chosen)(operation) != &first) return false;
  return true;
}

std::vector<Dispatch::Part> Dispatch::parts(OperationList group, Chosen chosen) const {
  std::vector<Part> parts;
  for (const Operation& operation : group) {
    Backend* const backend = &(this->*chosen)(operation);
    Part* same = nullptr;
    for (Part& part : parts)
      if (part.backend == backend) same = &part;
    if (same == nullptr) same = &parts.emplace_back(Part{backend, {}});
    same->operations.push_back(operation);
  }
  return parts;
}

// A barrier has no memory of its own: it goes with the device operations of its group, whose task
// could not be enqueued otherwise.
Dispatch::Chosen Dispatch::chosen_for(OperationList group) noexcept {
  return std::any_of(group.begin(), group.end(), serves_device) ? &Dispatch::backend_on_stream
                                                                : &Dispatch::backend_for;
}

bool Dispatch::are_host_messages(OperationList group) noexcept {
  return std::all_of(group.begin(), group.end(), [](const Operation& operation) {
    return !is_collective(operation.kind) && !serves_device(operation);
  });
}

void Dispatch::run_by_parts(OperationList group, Deadline deadline) const {
  // No reason is asked for, which would be a text for each of them.
  if (node_leads_ && are_host_messages(group)) return node_->run(group, deadline);
  const Chosen chosen = chosen_for(group);
  if (same_backend(group, chosen)) return (this->*chosen)(group[0]).run(group, deadline);
  prepare(group)->run(deadline);
}

std::unique_ptr<Task> Dispatch::prepare(OperationList group) const {
  const Chosen chosen = chosen_for(group);
  if (same_backend(group, chosen)) return (this->*chosen)(group[0]).prepare(group);
  std::vector<std::unique_ptr<Task>> tasks;
  for (const Part& part : parts(group, chosen))
    tasks.push_back(part.backend->prepare({part.operations.data(), part.operations.size()}));
  return std::make_unique<JointTask>(std::move(tasks));
}

void Dispatch::enqueue_by_parts(OperationList group, cudaStream_t stream, Deadline deadline) const {
  if (same_backend(group, &Dispatch::backend_on_stream))
    return backend_on_stream(group[0]).enqueue(group, stream, deadline);
  for (const Part& part : parts(group, &Dispatch::backend_on_stream))
    part.backend->enqueue({part.operations.data(), part.operations.size()}, stream, deadline);
}

Backend& Dispatch::backend_on_stream(const Operation& operation) const {
  if (operation.kind != OperationKind::barrier) return backend_for(operation);
  // Before NCCL is joined it would serve a barrier, but messages beside one do not join it.
  const bool by_nccl = settled() && nccl_->serves(operation);
  return by_nccl ? static_cast<Backend&>(*nccl_) : *staged_;
}

Deadline Dispatch::own_deadline() const {
  const std::chrono::milliseconds timeout = session_->options().timeout;
  return timeout.count() > 0 ? Deadline::in(timeout) : Deadline();
}

void Dispatch::join_if_needed(const Operation& operation) const {
  if (!settled() && is_collective(operation.kind)) nccl_->join(own_deadline());
}

void Dispatch::join_at_once() const {
  const Options& options = session_->options();
  const bool wanted = options.nccl == NcclPolicy::required ||
                      (options.nccl == NcclPolicy::automatic && options.join == NcclJoin::eager);
  if (wanted) nccl_->join(own_deadline());
}

}  // namespace tutti
