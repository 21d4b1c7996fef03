#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/collective.hpp"
#include "core/comm.hpp"
#include "core/stream.hpp"

namespace fake {

/** Group state of the calling thread. */
bool in_group();
void group_start();

/** Runs what the outermost group collected; an error of any call in it discards all. */
ncclResult_t group_end();

/** As group_end(), without doing anything. */
ncclResult_t group_drop();

/** Remembers that a call inside the group failed. */
void group_failed(ncclResult_t code);

/** Puts an operation on its stream, at the end of the group when there is one. */
ncclResult_t add_operation(const CommPtr& comm, const char* function, const Operation& operation,
                           const StreamPtr& stream);

/** Runs a host-side job (init, split) now, or at the end of the group beside the others. */
ncclResult_t add_job(std::function<ncclResult_t()> job);

}  // namespace fake
