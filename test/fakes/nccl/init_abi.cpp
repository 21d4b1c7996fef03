// Communicators come into being.

#include <thread>

#include "core/rendezvous.hpp"
#include "nccl/call.hpp"

using namespace fake;

namespace {

constexpr int default_polls = 2;
constexpr unsigned config_magic = 0xcafebeef;

bool blocking_of(const ncclConfig_t* config, bool otherwise) {
  if (config == nullptr || config->blocking == NCCL_CONFIG_UNDEF_INT) return otherwise;
  return config->blocking != 0;
}

bool valid(const ncclConfig_t* config) {
  return config == nullptr || (config->magic == config_magic && config->size != 0);
}

int polls_of(const Statement* progress) {
  return progress == nullptr ? default_polls
                             : static_cast<int>(progress->number("polls", default_polls));
}

/** Runs `work` beside the caller; its result becomes the state of all `waiting`. */
ncclResult_t in_background(const std::vector<CommPtr>& waiting, const Statement* progress,
                           std::function<ncclResult_t()> work) {
  for (const CommPtr& comm : waiting) comm->begin_progress(polls_of(progress), progress, nullptr);
  std::thread([waiting, work = std::move(work)] {
    const ncclResult_t result = work();
    for (const CommPtr& comm : waiting) comm->finish_progress(result);
  }).detach();
  return ncclInProgress;
}

ncclResult_t start_comm(const CommPtr& comm, ncclComm_t* out, const Statement* progress) {
  if (comm->blocking) {
    return add_job([comm, out] {
      const ncclResult_t result = join(*comm);
      *out = result == ncclSuccess ? static_cast<ncclComm_t>(comms().add(comm)) : nullptr;
      if (result != ncclSuccess) set_global_error(comm->last_error());
      return result;
    });
  }
  *out = static_cast<ncclComm_t>(comms().add(comm));
  return add_job(
      [comm, progress] { return in_background({comm}, progress, [comm] { return join(*comm); }); });
}

ncclResult_t init(const Call& call, const char* function, ncclComm_t* out, int size,
                  const ncclUniqueId& id, int rank, const ncclConfig_t* config) {
  if (out == nullptr || size < 1 || rank < 0 || rank >= size || !valid(config)) {
    return refuse(nullptr, ncclInvalidArgument,
                  "rank " + std::to_string(rank) + " of " + std::to_string(size) +
                      ", or the configuration, is not valid");
  }
  if (ready() != cudaSuccess || !valid_device(current_device())) {
    return refuse(nullptr, ncclUnhandledCudaError, "no usable device");
  }
  *out = nullptr;
  if (Script::get().find_call("null", function, rank, call.number())) return ncclSuccess;
  const std::string name = name_of(id);
  if (!claim_id(name, rank)) {
    return refuse(nullptr, ncclInvalidUsage, "this unique id has been used before");
  }
  auto comm = std::make_shared<Comm>(rank, size, current_device(), blocking_of(config, true));
  comm->name = name;
  return start_comm(comm, out, Script::get().find_call("progress", function, rank, call.number()));
}

/**
 * Places a child of `parent` as `place` says once the ranks of the parent have agreed. A `chained`
 * child ends with an abort of its parent; one of a parent that was aborted before is not.
 */
ncclResult_t make_child(const CommPtr& parent, const Place& place, bool blocking, bool chained,
                        ncclComm_t* out) {
  if (place.name.empty()) return ncclSuccess;
  auto child = std::make_shared<Comm>(place.rank, place.size, parent->device, blocking);
  child->name = place.name;
  if (chained) parent->set_joining(child);
  const ncclResult_t result = join(*child);
  parent->set_joining(nullptr);
  if (result == ncclSuccess) {
    // The caller may be polling the parent on another thread.
    __atomic_store_n(out, static_cast<ncclComm_t>(comms().add(child)), __ATOMIC_RELEASE);
  } else {
    parent->set_last_error(child->last_error());
  }
  return result;
}

using Placing = std::function<ncclResult_t(Place*)>;

/** A non-blocking parent works in the background; `out` is written when the child is ready. */
ncclResult_t derive(const CommPtr& parent, const Statement* progress, bool blocking,
                    ncclComm_t* out, const Placing& placing) {
  const bool chained = !parent->aborted();
  const auto work = [=] {
    Place place;
    const ncclResult_t result = placing(&place);
    return result == ncclSuccess ? make_child(parent, place, blocking, chained, out) : result;
  };
  if (parent->blocking) return add_job(work);
  return add_job([=] { return in_background({parent}, progress, work); });
}

}  // namespace

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  return free_call("ncclGetUniqueId", process_rank(), {}, [&](const Call&) {
    if (id == nullptr) return ncclInvalidArgument;
    *id = make_unique_id();
    return ncclSuccess;
  });
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  const Arguments arguments =
      Arguments()("size", size)("id", name_of(id))("blocking", blocking_of(config, true));
  return free_call("ncclCommInitRankConfig", rank, arguments, [&](const Call& call) {
    return init(call, "ncclCommInitRankConfig", comm, size, id, rank, config);
  });
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank) {
  return free_call("ncclCommInitRank", rank, Arguments()("size", size)("id", name_of(id)),
                   [&](const Call& call) {
                     return init(call, "ncclCommInitRank", comm, size, id, rank, nullptr);
                   });
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t* comm, int size, int rank, int ids,
                                      ncclUniqueId* id, ncclConfig_t* config) {
  return free_call("ncclCommInitRankScalable", rank, Arguments()("size", size)("ids", ids),
                   [&](const Call& call) {
                     if (ids < 1 || ids > size || id == nullptr) return ncclInvalidArgument;
                     // All ranks pass the same list, so its first id will do.
                     return init(call, "ncclCommInitRankScalable", comm, size, id[0], rank, config);
                   });
}

ncclResult_t ncclCommInitAll(ncclComm_t* comm, int size, const int* devices) {
  return free_call("ncclCommInitAll", process_rank(), Arguments()("size", size),
                   [&](const Call& call) {
                     if (comm == nullptr || size < 1) return ncclInvalidArgument;
                     const ncclUniqueId id = make_unique_id();
                     const int before = current_device();
                     ncclResult_t result = ncclSuccess;
                     group_start();
                     for (int i = 0; i < size && result == ncclSuccess; ++i) {
                       if (set_device(devices == nullptr ? i : devices[i]) != cudaSuccess) {
                         result = refuse(nullptr, ncclInvalidUsage, "a device does not exist");
                         break;
                       }
                       result = init(call, "ncclCommInitAll", comm + i, size, id, i, nullptr);
                     }
                     set_device(before);
                     group_failed(result);
                     const ncclResult_t ended = group_end();
                     return result == ncclSuccess ? ended : result;
                   });
}

ncclResult_t ncclCommSplit(ncclComm_t handle, int color, int key, ncclComm_t* out,
                           ncclConfig_t* config) {
  return comm_call("ncclCommSplit", handle, Arguments()("color", color)("key", key),
                   [&](const CommPtr& parent, const Call& call) {
                     const ncclResult_t usable = check_usable(parent);
                     if (usable != ncclSuccess) return usable;
                     if (out == nullptr || !valid(config) || color < NCCL_SPLIT_NOCOLOR) {
                       return refuse(parent, ncclInvalidArgument,
                                     "the colour or the configuration is not valid");
                     }
                     *out = nullptr;
                     const auto* progress = Script::get().find_call("progress", "ncclCommSplit",
                                                                    parent->rank, call.number());
                     return derive(parent, progress, blocking_of(config, parent->blocking), out,
                                   [=](Place* place) { return split(*parent, color, key, place); });
                   });
}

ncclResult_t ncclCommShrink(ncclComm_t handle, int* excluded, int count, ncclComm_t* out,
                            ncclConfig_t* config, int flags) {
  return comm_call("ncclCommShrink", handle, Arguments()("excluded", count)("flags", flags),
                   [&](const CommPtr& parent, const Call& call) {
                     if (out == nullptr || excluded == nullptr || count < 1 || !valid(config)) {
                       return refuse(parent, ncclInvalidArgument, "the list of ranks is not valid");
                     }
                     *out = nullptr;
                     if (flags == NCCL_SHRINK_ABORT)
                       parent->abort();  // ends what is pending on the parent
                     const std::vector<int> ranks(excluded, excluded + count);
                     const auto* progress = Script::get().find_call("progress", "ncclCommShrink",
                                                                    parent->rank, call.number());
                     return derive(parent, progress, blocking_of(config, parent->blocking), out,
                                   [=](Place* place) { return shrink(*parent, ranks, place); });
                   });
}

}  // extern "C"
