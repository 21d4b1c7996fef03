#include <optional>

#include "bench/contender.hpp"
#include "bench/device_runtime.hpp"

namespace tutti::bench {
namespace {

/// The operations are built once: building one is a handful of stores, and the raw call's arguments
/// are ready as well.
class Run final : public Action {
 public:
  Run(const Communicator& communicator, std::vector<Operation> operations)
      : communicator_(communicator), operations_(std::move(operations)) {}
  void run() override {
    for (const Operation& operation : operations_) communicator_.run(operation);
  }

 private:
  const Communicator& communicator_;
  std::vector<Operation> operations_;
};

class Start final : public Action {
 public:
  Start(const Communicator& communicator, std::vector<Operation> operations)
      : communicator_(communicator), operations_(std::move(operations)) {}
  void run() override {
    for (const Operation& operation : operations_) communicator_.start(operation).wait();
  }

 private:
  const Communicator& communicator_;
  std::vector<Operation> operations_;
};

class RunPlan final : public Action {
 public:
  RunPlan(const Communicator& communicator, std::vector<Operation> operations)
      : operations_(std::move(operations)) {
    for (const Operation& operation : operations_) plans_.push_back(communicator.plan(operation));
  }
  void run() override {
    for (Plan& plan : plans_) plan.run();
  }

 private:
  std::vector<Operation> operations_;
  std::vector<Plan> plans_;
};

class Enqueue final : public Action {
 public:
  Enqueue(const Communicator& communicator, std::vector<Operation> operations,
          const DeviceStream& stream)
      : communicator_(communicator), operations_(std::move(operations)), stream_(stream) {}
  void run() override {
    for (const Operation& operation : operations_)
      communicator_.enqueue(operation, stream_.handle());
  }
  void finish() override { stream_.synchronise(); }

 private:
  const Communicator& communicator_;
  std::vector<Operation> operations_;
  const DeviceStream& stream_;
};

class Tutti final : public Contender {
 public:
  Tutti(const Communicator& communicator, const DeviceStream* stream)
      : communicator_(communicator), stream_(stream) {}

  std::string_view name() const noexcept override { return "tutti"; }

  std::string refusal(const Job& job) const override {
    static_cast<void>(job);
    return {};
  }

  std::unique_ptr<Action> prepare(const Job& job, const Ranges& ranges) const override {
    std::vector<Operation> operations = job.collective->operations(job, ranges);
    switch (job.verb) {
      case Verb::start:
        return std::make_unique<Start>(communicator_, std::move(operations));
      case Verb::plan:
        return std::make_unique<RunPlan>(communicator_, std::move(operations));
      case Verb::enqueue:
        return std::make_unique<Enqueue>(communicator_, std::move(operations), *stream_);
      case Verb::run:
        break;
    }
    return std::make_unique<Run>(communicator_, std::move(operations));
  }

 private:
  const Communicator& communicator_;
  const DeviceStream* stream_;
};

}  // namespace

std::unique_ptr<Contender> make_tutti(const Communicator& communicator,
                                      const DeviceStream* stream) {
  return std::make_unique<Tutti>(communicator, stream);
}

}  // namespace tutti::bench
