#pragma once

#include <string>
#include <vector>

#include "core/comm.hpp"

namespace fake {

/** Brings this rank into its communicator; blocks until all are there or it is aborted. */
ncclResult_t join(Comm& comm);

/** Where this rank goes in a split, or a name that is empty for no colour. */
struct Place {
  std::string name;
  int rank = 0;
  int size = 0;
};

ncclResult_t split(Comm& parent, int color, int key, Place* place);
ncclResult_t shrink(Comm& parent, const std::vector<int>& excluded, Place* place);

/** Name of the segment that belongs to a unique id. */
std::string name_of(const ncclUniqueId& id);
ncclUniqueId make_unique_id();

/** False when this process has used the id for that rank before: the real one would hang. */
bool claim_id(const std::string& name, int rank);

}  // namespace fake
