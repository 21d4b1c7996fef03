// Memory that NCCL reaches from every rank.
#include <cstring>

#include "core/text.hpp"
#include "nccl/engine.hpp"

namespace tutti::nccl {

namespace {

/// What a rank gives, told to all of them.
struct Offer {
  std::uint64_t bytes = 0;
  char why_not[120] = {};  ///< what is wrong with it; empty if nothing is
};

std::string what_is_wrong(const void* memory, std::size_t bytes, int device) {
  constexpr std::uintptr_t alignment = 4096;  // NCCL_WIN_REQUIRED_ALIGNMENT
  if (memory == nullptr || bytes == 0) return "it is empty";
  if (reinterpret_cast<std::uintptr_t>(memory) % alignment != 0)
    return text("it begins at ", memory, ", no multiple of ", alignment, " bytes");
  const cuda::Placement placement = cuda::placement_of(memory);
  if (placement.type != cuda::MemoryType::device) return text(memory, " is no device memory");
  if (placement.device != device)
    return text("it is memory of device ", placement.device, ", the communicator works on ",
                device);
  return {};
}

// One rank's mistake is everybody's: NCCL would wait for it.
void agree(Bootstrap& bootstrap, const Offer& mine, Deadline deadline) {
  std::vector<Offer> all(static_cast<std::size_t>(bootstrap.size()));
  bootstrap.all_gather(&mine, all.data(), sizeof mine, deadline);
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r].why_not[0] != '\0')
      throw Error(Errc::invalid_argument,
                  text("the window of rank ", r, " cannot be: ", all[r].why_not));
    if (all[r].bytes != all[0].bytes)
      throw Error(Errc::invalid_argument,
                  text("the window of rank 0 has ", all[0].bytes, " bytes, that of rank ", r, " ",
                       all[r].bytes, "; they must be equal"));
  }
}

}  // namespace

std::shared_ptr<void> Engine::register_window(void* memory, std::size_t bytes, Deadline deadline) {
  join(deadline);
  if (state_ != State::joined) throw Error(Errc::unsupported, "a window needs NCCL: " + why_);
  if (functions().ncclCommWindowRegister == nullptr ||
      functions().ncclCommWindowDeregister == nullptr)
    throw Error(Errc::unsupported, why_missing("ncclCommWindowRegister"));
  Offer mine{bytes};
  const std::string why_not = what_is_wrong(memory, bytes, ordinal_);
  std::memcpy(mine.why_not, why_not.c_str(), std::min(why_not.size(), sizeof mine.why_not - 1));
  agree(*bootstrap_, mine, deadline);
  return registry_->add_window(handle(), memory, bytes, deadline);
}

}  // namespace tutti::nccl
