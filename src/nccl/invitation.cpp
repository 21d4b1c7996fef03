#include "nccl/invitation.hpp"

#include <cstring>

#include "core/text.hpp"

namespace tutti::nccl {

namespace {

/// They travel together, so that nobody waits for an id.
struct Invitation {
  ncclUniqueId id{};
  char failure[512] = {};
};

Invitation invite() noexcept {
  Invitation invitation;
  try {
    TUTTI_NCCL(ncclGetUniqueId(&invitation.id));
  } catch (const std::exception& error) {
    std::strncpy(invitation.failure, error.what(), sizeof invitation.failure - 1);
  }
  return invitation;
}

}  // namespace

ncclUniqueId carry_id(Bootstrap& bootstrap, Deadline deadline) {
  Invitation invitation;
  if (bootstrap.rank() == 0) invitation = invite();
  bootstrap.broadcast(&invitation, sizeof invitation, 0, deadline);
  if (invitation.failure[0] == '\0') return invitation.id;
  throw Error(Errc::nccl, text("rank 0 could not make NCCL's unique id: ", invitation.failure),
              {"", bootstrap.rank(), bootstrap.size()});
}

}  // namespace tutti::nccl
