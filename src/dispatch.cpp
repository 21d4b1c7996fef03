#include "dispatch.hpp"

#include "core/backoff.hpp"
#include "core/text.hpp"
#include "mpi/backend.hpp"

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

 private:
  std::vector<std::unique_ptr<Task>> tasks_;
};

}  // namespace

Dispatch::Dispatch(std::shared_ptr<mpi::Session> session) : session_(std::move(session)) {
  backends_.push_back(std::make_unique<mpi::MpiBackend>(session_));
}

Backend& Dispatch::backend_for(const Operation& operation) const {
  for (const auto& backend : backends_)
    if (backend->supports(operation)) return *backend;
  throw Error(Errc::unsupported, "no backend can: " + reasons_against(operation));
}

Choice Dispatch::choose(const Operation& operation) const {
  const Backend& backend = backend_for(operation);
  return {std::string(backend.name()), backend.algorithm(operation), reasons_against(operation)};
}

std::string Dispatch::reasons_against(const Operation& operation) const {
  std::string reasons;
  for (const auto& backend : backends_) {
    const Support support = backend->supports(operation);
    if (support) break;
    reasons += text(reasons.empty() ? "" : "; ", backend->name(), ": ", support.reason);
  }
  return reasons;
}

bool Dispatch::same_backend(OperationList group) const {
  if (group.size() == 1) return true;
  const Backend& first = backend_for(group[0]);
  for (const Operation& operation : group)
    if (&backend_for(operation) != &first) return false;
  return true;
}

void Dispatch::run(OperationList group, Deadline deadline) const {
  if (same_backend(group)) return backend_for(group[0]).run(group, deadline);
  prepare(group)->run(deadline);
}

std::unique_ptr<Task> Dispatch::prepare(OperationList group) const {
  if (same_backend(group)) return backend_for(group[0]).prepare(group);
  std::vector<std::unique_ptr<Task>> tasks;
  for (const Operation& operation : group)
    tasks.push_back(backend_for(operation).prepare(OperationList(operation)));
  return std::make_unique<JointTask>(std::move(tasks));
}

}  // namespace tutti
