// nccl.hpp: NCCL itself, for those who need it.
#include <cstring>

#include "core/log.hpp"
#include "core/text.hpp"
#include "cuda/runtime.hpp"
#include "nccl/available.hpp"
#include "nccl/functions.hpp"
#include "nccl/version.hpp"
#include "tutti/error.hpp"
#include "tutti/nccl.hpp"

namespace tutti::nccl {

Version version() {
  return decode_version(functions().version);
}

UniqueId UniqueId::make() {
  static_assert(sizeof(ncclUniqueId) == size);
  ncclUniqueId id;
  TUTTI_NCCL(ncclGetUniqueId(&id));
  Bytes bytes;
  std::memcpy(bytes.data(), &id, size);
  return UniqueId(bytes);
}

std::string error_text(int result) {
  return functions().ncclGetErrorString(static_cast<ncclResult_t>(result));
}

std::string last_error() {
  const char* const words = functions().ncclGetLastError(nullptr);
  return words == nullptr ? "" : words;
}

Group::Group() {
  TUTTI_NCCL(ncclGroupStart());
}

Group::~Group() {
  if (open_ && functions().ncclGroupEnd() != ncclSuccess)
    log(LogLevel::warn, "an NCCL group failed: " + last_error());
}

void Group::end() {
  open_ = false;
  TUTTI_NCCL(ncclGroupEnd());
}

RawCommunicator::RawCommunicator(int size, const UniqueId& id, int rank, const Config& config)
    : rank_(rank), size_(size) {
  if (size < 1 || rank < 0 || rank >= size)
    throw Error(Errc::invalid_argument, text("rank ", rank, " is outside 0 to ", size - 1));
  ncclUniqueId native;
  std::memcpy(&native, id.bytes().data(), UniqueId::size);
  ncclConfig_t made = NCCL_CONFIG_INITIALIZER;
  made.blocking = config.blocking ? 1 : 0;
  if (config.min_ctas > 0) made.minCTAs = config.min_ctas;
  if (config.max_ctas > 0) made.maxCTAs = config.max_ctas;
  const ncclResult_t result =
      functions().ncclCommInitRankConfig(&handle_, size, native, rank, &made);
  if (result != ncclInProgress) check(result, "ncclCommInitRankConfig");
  if (handle_ == nullptr)
    throw Error(Errc::nccl, "ncclCommInitRankConfig succeeded but gave no communicator");
}

RawCommunicator::~RawCommunicator() {
  if (handle_ != nullptr && functions().ncclCommDestroy(handle_) != ncclSuccess)
    log(LogLevel::warn, "ncclCommDestroy failed: " + last_error());
}

void RawCommunicator::abort() noexcept {
  ncclComm* const mine = __atomic_exchange_n(&handle_, nullptr, __ATOMIC_ACQ_REL);
  if (mine != nullptr) static_cast<void>(functions().ncclCommAbort(mine));
}

}  // namespace tutti::nccl
