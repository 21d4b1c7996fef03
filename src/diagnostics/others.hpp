#pragma once

#include <string>

#include "mpi/session.hpp"

namespace tutti {

/// Where it is known from: this node's status board, which any thread may look at, and what ranks
/// of other nodes answered.
enum class Sources { board, all };

/// For a rank that waits in a call: which call it is, and a line for each thing that other ranks of
/// it do. Makes no MPI call.
std::string what_others_do(const mpi::Session& session, Sources sources);

}  // namespace tutti
