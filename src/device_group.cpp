#include "tutti/device_group.hpp"

#include <cstring>

#include "communicator_state.hpp"
#include "core/text.hpp"
#include "core/variables.hpp"
#include "mpi/bootstrap.hpp"
#include "nccl/device_group.hpp"

namespace tutti {

namespace {

/// One process: everybody is there already.
class AloneBootstrap final : public Bootstrap {
 public:
  explicit AloneBootstrap(const Options& options) : options_(with_environment(options)) {}
  int rank() const noexcept override { return 0; }
  int size() const noexcept override { return 1; }
  int local_rank() const noexcept override { return 0; }
  int local_size() const noexcept override { return 1; }
  const Options& options() const noexcept override { return options_; }
  const detail::AbortFlag& abort_flag() const noexcept override { return flag_; }
  void broadcast(void*, std::size_t, int, Deadline) override {}
  void all_gather(const void* mine, void* all, std::size_t bytes, Deadline) override {
    std::memcpy(all, mine, bytes);
  }
  void barrier(Deadline) override {}
  void open_notices() override {}
  void notify() override {}
  bool noticed() override { return false; }
  void agree(const std::optional<Error>& failure) override {
    if (failure) throw *failure;
  }
  void progress() noexcept override {}
  bool over() const noexcept override { return false; }

 private:
  Options options_;
  detail::AbortFlag flag_;
};

void check_size(std::size_t given, const char* what, int wanted) {
  if (given != static_cast<std::size_t>(wanted))
    throw Error(Errc::invalid_argument,
                text("there are ", given, ' ', what, " for ", wanted, " devices"));
}

}  // namespace

DeviceGroup::DeviceGroup(const std::vector<int>& devices, const Options& options)
    : state_(nccl::make_group(std::make_shared<AloneBootstrap>(options), devices)) {}
DeviceGroup::DeviceGroup(const Communicator& communicator, const std::vector<int>& devices)
    : state_(nccl::make_group(communicator.make_bootstrap(), devices)) {}
DeviceGroup::DeviceGroup(DeviceGroup&&) noexcept = default;
DeviceGroup& DeviceGroup::operator=(DeviceGroup&&) noexcept = default;
DeviceGroup::~DeviceGroup() = default;

int DeviceGroup::size() const noexcept {
  return state_->size();
}
int DeviceGroup::local_size() const noexcept {
  return state_->local_size();
}
int DeviceGroup::rank(int i) const {
  return state_->rank(i);
}
Device DeviceGroup::device(int i) const {
  return state_->device(i);
}

void DeviceGroup::run(const std::vector<Operation>& operations) {
  check_size(operations.size(), "operations", local_size());
  state_->run(0, {operations.data(), operations.size()});
}

void DeviceGroup::enqueue(const std::vector<Operation>& operations,
                          const std::vector<cudaStream_t>& streams) {
  check_size(operations.size(), "operations", local_size());
  check_size(streams.size(), "streams", local_size());
  state_->enqueue(0, {operations.data(), operations.size()}, streams.data());
}

void DeviceGroup::run_one(int i, const Operation& operation) {
  state_->run(i, OperationList(operation));
}
void DeviceGroup::enqueue_one(int i, const Operation& operation, cudaStream_t stream) {
  state_->enqueue(i, OperationList(operation), &stream);
}

}  // namespace tutti
