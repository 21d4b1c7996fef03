// How the ranks enter NCCL: all of them, or none.
#include "core/log.hpp"
#include "core/text.hpp"
#include "nccl/engine.hpp"
#include "nccl/invitation.hpp"

namespace tutti::nccl {

void Engine::join(Deadline deadline) {
  if (state_ != State::apart) return;
  failed_together_ = false;
  compare_facts(deadline);
  if (state_ == State::unavailable) {
    failed_together_ = true;
    if (bootstrap_->options().nccl == NcclPolicy::required)
      throw Error(Errc::unsupported, "Options::nccl is required, but NCCL cannot serve: " + why_,
                  {"construction", rank(), size()});
    return;
  }
  enter(deadline);
  registry_->open(handle_->get(), ordinal_);
  state_ = State::joined;
}

void Engine::compare_facts(Deadline deadline) {
  const Facts mine = facts_of_this_rank(choice());
  std::vector<Facts> all(static_cast<std::size_t>(size()));
  bootstrap_->all_gather(&mine, all.data(), sizeof mine, deadline);
  const std::string why_not = why_not_together(all);
  if (!why_not.empty()) {
    become_unavailable(why_not);
    if (rank() == 0 && bootstrap_->options().nccl == NcclPolicy::automatic)
      log(LogLevel::warn,
          "NCCL cannot serve, device memory is staged through the host: " + why_not);
    return;
  }
  ordinal_ = mine.device;
  abilities_ = {mine.version, mine.capability, static_cast<int>(all.size())};
  for (const Facts& facts : all)
    abilities_.capability = std::min(abilities_.capability, static_cast<int>(facts.capability));
  if (rank() == 0)
    for (const std::string& line : differing_variables(all)) log(LogLevel::warn, line);
}

void Engine::enter(Deadline deadline) {
  ncclUniqueId id;
  try {
    id = carry_id(*bootstrap_, deadline);
  } catch (const Error& error) {
    failed_together_ = error.code() == Errc::nccl;
    throw;
  }
  bootstrap_->barrier(deadline);
  bootstrap_->open_notices();
  std::optional<Error> failure;
  try {
    const cuda::RelaxedCapture relaxed;
    const cuda::DeviceGuard guard(ordinal_);
    resources_ = std::make_unique<Resources>();
    handle_ = std::make_unique<Handle>(*bootstrap_, id, ordinal_, deadline);
  } catch (const PeerFailed&) {
    // That rank takes part in the agreement with its reason.
  } catch (const Error& error) {
    failure = error;
    bootstrap_->notify();
  }
  try {
    bootstrap_->agree(failure);
  } catch (const Error&) {
    failed_together_ = true;
    if (handle_ != nullptr) handle_->abort();
    handle_.reset();
    throw;
  }
}

}  // namespace tutti::nccl
