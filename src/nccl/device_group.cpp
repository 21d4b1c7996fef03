#include "nccl/device_group.hpp"

#include <algorithm>
#include <thread>

#include "core/backoff.hpp"
#include "core/check.hpp"
#include "core/text.hpp"
#include "cuda/runtime.hpp"
#include "nccl/available.hpp"
#include "nccl/engine.hpp"
#include "nccl/invitation.hpp"
#include "nccl/issue.hpp"

namespace tutti::nccl {

namespace {

struct Member {
  int device = 0;
  std::unique_ptr<Resources> resources;
  std::unique_ptr<Handle> handle;
};

bool good(ncclResult_t result) noexcept {
  return result == ncclSuccess || result == ncclInProgress;
}

class Members final : public DeviceGroup::State {
 public:
  Members(std::shared_ptr<Bootstrap> bootstrap, const std::vector<int>& devices);
  ~Members() override;

  int size() const noexcept override { return size_; }
  int local_size() const noexcept override { return static_cast<int>(members_.size()); }
  int rank(int i) const override { return first_rank_ + (static_cast<void>(member(i)), i); }
  Device device(int i) const override { return Device(member(i).device); }
  void run(int first, OperationList operations) override;
  void enqueue(int first, OperationList operations, const cudaStream_t* streams) override;

 private:
  const Member& member(int i) const {
    if (i < 0 || i >= local_size())
      throw Error(Errc::invalid_argument,
                  text("member ", i, " is outside 0 to ", local_size() - 1));
    return members_[static_cast<std::size_t>(i)];
  }
  void check_devices(const std::vector<int>& devices) const;
  void number(const std::vector<int>& devices, const std::optional<Error>& failure);
  void enter();
  void make_handles(const ncclUniqueId& id);
  Operation checked(int i, const Operation& operation) const;
  void issue(int first, OperationList operations,
             const std::function<cuda::StreamHandle(const Member&, int)>& on);
  void give_up() noexcept;
  Deadline deadline() const {
    const auto timeout = bootstrap_->options().timeout;
    return timeout.count() > 0 ? Deadline::in(timeout) : Deadline();
  }

  std::shared_ptr<Bootstrap> bootstrap_;
  int size_ = 0;
  int first_rank_ = 0;
  Abilities abilities_;
  std::vector<Member> members_;
};

Members::Members(std::shared_ptr<Bootstrap> bootstrap, const std::vector<int>& devices)
    : bootstrap_(std::move(bootstrap)) {
  std::optional<Error> failure;
  try {
    check_devices(devices);
  } catch (const Error& error) {
    failure = error;
  }
  number(devices, failure);
  enter();
}

void Members::check_devices(const std::vector<int>& devices) const {
  std::string why = why_unavailable();
  if (why.empty()) why = cuda::why_no_device();
  if (!why.empty()) throw Error(Errc::unsupported, "a DeviceGroup needs NCCL: " + why);
  const int visible = cuda::count_devices();
  if (devices.empty())
    throw Error(Errc::invalid_argument, "a DeviceGroup needs a device on every rank");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i] < 0 || devices[i] >= visible)
      throw Error(Errc::invalid_argument,
                  text("device ", devices[i], " is outside 0 to ", visible - 1));
    if (std::count(devices.begin(), devices.end(), devices[i]) != 1)
      throw Error(Errc::invalid_argument, text("device ", devices[i], " is given twice"));
  }
}

// Ranks of the group: this process's devices follow those of the processes before it.
void Members::number(const std::vector<int>& devices, const std::optional<Error>& failure) {
  bootstrap_->open_notices();
  bootstrap_->agree(failure);
  const int mine = static_cast<int>(devices.size());
  std::vector<int> all(static_cast<std::size_t>(bootstrap_->size()));
  bootstrap_->all_gather(&mine, all.data(), sizeof mine, deadline());
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (static_cast<int>(r) < bootstrap_->rank()) first_rank_ += all[r];
    size_ += all[r];
  }
  abilities_ = {functions().version, 99, size_};
  for (const int device : devices) {
    abilities_.capability = std::min(abilities_.capability, cuda::capability_of(device));
    members_.push_back({device, nullptr, nullptr});
  }
}

void Members::enter() {
  const ncclUniqueId id = carry_id(*bootstrap_, deadline());
  bootstrap_->barrier(deadline());
  bootstrap_->open_notices();
  std::optional<Error> failure;
  try {
    make_handles(id);
    for (Member& m : members_) {
      const cuda::DeviceGuard guard(m.device);
      m.handle->await_made(deadline());
      m.resources = std::make_unique<Resources>();
    }
  } catch (const PeerFailed&) {
    // That rank takes part in the agreement with its reason.
  } catch (const Error& error) {
    failure = error;
    bootstrap_->notify();
  }
  try {
    bootstrap_->agree(failure);
  } catch (const Error&) {
    give_up();
    throw;
  }
}

// What other processes fail to do can only be noticed where NCCL does not block.
void Members::make_handles(const ncclUniqueId& id) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = bootstrap_->size() == 1 ? 1 : 0;
  std::vector<ncclComm_t> made(members_.size());
  TUTTI_NCCL(ncclGroupStart());
  ncclResult_t result = ncclSuccess;
  for (std::size_t i = 0; i < members_.size() && good(result); ++i) {
    const cuda::DeviceGuard guard(members_[i].device);
    result = functions().ncclCommInitRankConfig(&made[i], size_, id,
                                                first_rank_ + static_cast<int>(i), &config);
    if (!good(result)) made[i] = nullptr;  // whatever it holds now
  }
  // In every case: a group that stays open would swallow later calls.
  const ncclResult_t ended = functions().ncclGroupEnd();
  for (std::size_t i = 0; i < members_.size(); ++i)
    members_[i].handle = std::make_unique<Handle>(*bootstrap_, made[i], members_[i].device);
  if (!good(result)) check(result, "ncclCommInitRankConfig");
  if (!good(ended)) check(ended, "ncclGroupEnd");
}

// Ends of one process's communicators wait for each other, so each ends on a thread of its own.
Members::~Members() {
  std::vector<std::thread> ends;
  for (Member& member : members_) ends.emplace_back([&member] { member.handle.reset(); });
  for (std::thread& end : ends) end.join();
  for (Member& member : members_) try {
      const cuda::DeviceGuard guard(member.device);
      member.resources.reset();
    } catch (const std::exception&) {
      static_cast<void>(member.resources.release());
    }
}

Operation Members::checked(int i, const Operation& operation) const {
  const Operation resolved = resolve(operation, rank(i), size_);
  const ErrorPlace where{describe(operation), rank(i), size_};
  for (const MemoryView* side : {&resolved.send, &resolved.receive}) {
    if (!side->given || side->count == 0) continue;
    const cuda::Placement placement = cuda::placement_of(side->data);
    if (placement.type == cuda::MemoryType::pageable)
      throw Error(Errc::invalid_argument,
                  "a DeviceGroup works on device memory; this is pageable host memory", where);
    if (placement.type == cuda::MemoryType::device && placement.device != member(i).device)
      throw Error(Errc::invalid_argument,
                  text("memory of device ", placement.device, " for the member on device ",
                       member(i).device),
                  where);
  }
  if (const Support support = supported(resolved, abilities_); !support)
    throw Error(Errc::unsupported, support.reason, where);
  return resolved;
}

void Members::issue(int first, OperationList operations,
                    const std::function<cuda::StreamHandle(const Member&, int)>& on) {
  std::vector<Operation> ready;
  for (std::size_t k = 0; k < operations.size(); ++k)
    ready.push_back(checked(first + static_cast<int>(k), operations[k]));
  std::vector<std::unique_ptr<Issuer>> issuers;
  bool open = false;
  try {
    TUTTI_NCCL(ncclGroupStart());
    open = true;
    for (std::size_t k = 0; k < ready.size(); ++k) {
      const int i = first + static_cast<int>(k);
      const Member& m = member(i);
      const cuda::DeviceGuard guard(m.device);
      issuers.push_back(std::make_unique<Issuer>(
          *m.handle, rank(i), size_, on(m, static_cast<int>(k)), m.resources->word, deadline()));
      issuers.back()->issue_within_group(OperationList(ready[k]));
    }
    open = false;
    const ncclResult_t ended = functions().ncclGroupEnd();
    for (std::size_t k = 0; k < ready.size(); ++k)
      member(first + static_cast<int>(k)).handle->settle(ended, "ncclGroupEnd", deadline());
  } catch (...) {
    // A group that stays open would swallow the calls of others on this thread.
    if (open) static_cast<void>(functions().ncclGroupEnd());
    give_up();
    throw;
  }
}

void Members::give_up() noexcept {
  for (Member& member : members_)
    if (member.handle != nullptr) member.handle->abort();
}

void Members::run(int first, OperationList operations) {
  issue(first, operations, [](const Member& m, int) { return m.resources->ordered.handle(); });
  const Deadline limit = deadline();
  for (std::size_t k = 0; k < operations.size(); ++k) {
    const Member& m = member(first + static_cast<int>(k));
    const cuda::DeviceGuard guard(m.device);
    int turn = 0;
    try {
      for (Backoff backoff; !m.resources->ordered.idle(); backoff.pause()) {
        if (++turn % 64 == 0) m.handle->check_asynchronous();
        if (bootstrap_->abort_flag().aborted.load(std::memory_order_relaxed))
          throw Error(Errc::aborted, "the communicator was aborted");
        if (limit.passed())
          throw Error(Errc::timeout, "the deadline passed before the devices were done");
      }
    } catch (...) {
      give_up();
      throw;
    }
  }
}

void Members::enqueue(int first, OperationList operations, const cudaStream_t* streams) {
  for (std::size_t k = 0; k < operations.size(); ++k)
    if (cuda::is_default_stream(streams[k]))
      throw Error(Errc::invalid_argument,
                  "a DeviceGroup takes streams of your own, no default stream");
  issue(first, operations, [streams](const Member&, int k) { return streams[k]; });
}

}  // namespace

std::unique_ptr<DeviceGroup::State> make_group(std::shared_ptr<Bootstrap> bootstrap,
                                               const std::vector<int>& devices) {
  return std::make_unique<Members>(std::move(bootstrap), devices);
}

}  // namespace tutti::nccl
