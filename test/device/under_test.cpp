// The backends of device memory, for the conformance suite: on the fake libraries, or on real ones.
#include "conformance/under_test.hpp"

#include <optional>

#include "device/memory.hpp"
#include "mpi/backend.hpp"
#include "mpi/bootstrap.hpp"
#include "mpi/session.hpp"
#include "nccl/backend.hpp"
#include "staged/backend.hpp"

namespace tutti::test {
namespace {

/// What a communicator holds for its backends, and the one of them that is tested.
class Held : public Backend {
 public:
  enum class Which { nccl, staged, host_through_nccl };

  Held(MPI_Comm comm, Which which)
      : session_(std::make_shared<mpi::Session>(comm, Options{}, std::nullopt)),
        bootstrap_(std::make_shared<mpi::MpiBootstrap>(session_)),
        mpi_(session_),
        nccl_(nccl::make_backend(bootstrap_, Device())) {
    const auto device = [this] { return nccl_->device().ordinal(); };
    if (which != Which::staged) nccl_->join(Deadline());
    if (which == Which::staged)
      relay_.emplace("staged", mpi_, staged::Route::through_host, bootstrap_, device, "");
    if (which == Which::host_through_nccl)
      relay_.emplace("nccl", *nccl_, staged::Route::through_device, bootstrap_, device, "");
  }

  std::string_view name() const noexcept override { return tested().name(); }
  int rank() const noexcept override { return tested().rank(); }
  int size() const noexcept override { return tested().size(); }
  Support supports(const Operation& operation) const override {
    return tested().supports(operation);
  }
  std::string algorithm(const Operation& operation) const override {
    return tested().algorithm(operation);
  }
  void run(OperationList operations, Deadline deadline) override {
    tested().run(operations, deadline);
  }
  std::unique_ptr<Task> prepare(OperationList operations) override {
    return tested().prepare(operations);
  }
  void enqueue(OperationList operations, cudaStream_t stream, Deadline deadline) override {
    tested().enqueue(operations, stream, deadline);
  }

 private:
  Backend& tested() { return relay_ ? static_cast<Backend&>(*relay_) : *nccl_; }
  const Backend& tested() const { return relay_ ? static_cast<const Backend&>(*relay_) : *nccl_; }

  std::shared_ptr<mpi::Session> session_;
  std::shared_ptr<mpi::MpiBootstrap> bootstrap_;
  mpi::MpiBackend mpi_;
  std::unique_ptr<nccl::NcclBackend> nccl_;
  std::optional<staged::StagedBackend> relay_;
};

BackendUnderTest held(std::string name, Held::Which which, Allocator& memory, std::size_t largest) {
  const auto make = [which](MPI_Comm comm) -> std::unique_ptr<Backend> {
    return std::make_unique<Held>(comm, which);
  };
  const bool staged = which == Held::Which::staged;
  return {std::move(name), make, &memory, largest, staged, false, !staged};
}

}  // namespace

std::vector<BackendUnderTest> backends_under_test() {
  // So that even these small operations are cut into several pieces.
  staged::StagedBackend::piece_bytes = 512;
  return {held("Nccl", Held::Which::nccl, device_allocator(), 20011),
          held("Staged", Held::Which::staged, device_allocator(), 20011),
          held("HostThroughNccl", Held::Which::host_through_nccl, host_allocator(), 1000)};
}

}  // namespace tutti::test
