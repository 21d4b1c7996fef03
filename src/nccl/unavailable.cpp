// Stands for NCCL in a build without its headers.
#include "nccl/available.hpp"
#include "nccl/backend.hpp"
#include "nccl/device_group.hpp"
#include "nccl/memory.hpp"
#include "tutti/error.hpp"
#include "tutti/nccl.hpp"

namespace tutti::nccl {

const std::string& why_unavailable() noexcept {
  static const std::string& why =
      *new std::string("tutti was built without the headers of CUDA and NCCL");
  return why;
}
int loaded_version() noexcept {
  return 0;
}
LoadedLibrary loaded_library() {
  return {"", "", "", why_unavailable()};
}

namespace {

class Unavailable final : public NcclBackend {
 public:
  explicit Unavailable(std::shared_ptr<Bootstrap> bootstrap) : bootstrap_(std::move(bootstrap)) {
    state_ = State::unavailable;
  }

  std::string_view name() const noexcept override { return "nccl"; }
  int rank() const noexcept override { return bootstrap_->rank(); }
  int size() const noexcept override { return bootstrap_->size(); }
  Support supports(const Operation&) const override { return {false, why_unavailable()}; }
  bool serves(const Operation&) const override { return false; }
  std::optional<SingleCall> repeatable(const Operation&) const override { return std::nullopt; }
  bool repeat(const SingleCall&, cudaStream_t) override { return false; }
  std::string algorithm(const Operation&) const override { return "none"; }
  void run(OperationList, Deadline) override { refuse(); }
  std::unique_ptr<Task> prepare(OperationList) override { refuse(); }
  void enqueue(OperationList, cudaStream_t, Deadline) override { refuse(); }
  std::string reason() const override { return why_unavailable(); }
  Device device() const override { return Device(); }
  Device chosen_device() const noexcept override { return Device(); }
  void join(Deadline) override {
    if (bootstrap_->options().nccl == NcclPolicy::required) refuse();
  }
  bool take_failed_together() noexcept override { return false; }
  void give_up() noexcept override {}
  std::shared_ptr<void> register_memory(void*, std::size_t) override { return nullptr; }
  std::shared_ptr<void> register_window(void*, std::size_t, Deadline) override { refuse(); }
  ncclComm* raw_handle() const noexcept override { return nullptr; }

 private:
  [[noreturn]] static void refuse() { throw Error(Errc::unsupported, why_unavailable()); }
  std::shared_ptr<Bootstrap> bootstrap_;
};

}  // namespace

std::unique_ptr<NcclBackend> make_backend(std::shared_ptr<Bootstrap> bootstrap, Device) {
  return std::make_unique<Unavailable>(std::move(bootstrap));
}

void* allocate(std::size_t) noexcept {
  return nullptr;
}
void release(void*) noexcept {}

namespace {
[[noreturn]] void no_library() {
  throw Error(Errc::library, why_unavailable());
}
}  // namespace

std::unique_ptr<DeviceGroup::State> make_group(std::shared_ptr<Bootstrap>,
                                               const std::vector<int>&) {
  throw Error(Errc::unsupported, "a DeviceGroup needs NCCL: " + why_unavailable());
}

Version version() {
  no_library();
}
UniqueId UniqueId::make() {
  no_library();
}
std::string error_text(int) {
  no_library();
}
std::string last_error() {
  no_library();
}
Group::Group() {
  no_library();
}
Group::~Group() = default;
void Group::end() {
  open_ = false;
}
RawCommunicator::RawCommunicator(int size, const UniqueId&, int rank, const Config&)
    : rank_(rank), size_(size) {
  no_library();
}
RawCommunicator::~RawCommunicator() = default;
void RawCommunicator::abort() noexcept {}

}  // namespace tutti::nccl
