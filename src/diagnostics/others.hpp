#pragma once

#include <string>

#include "mpi/session.hpp"

namespace tutti {

/// For a rank that waits in a call: which call it is, and a line for each thing that other ranks of
/// it do, as far as this node's status board tells. Makes no MPI call.
std::string what_others_do(const mpi::Session& session);

}  // namespace tutti
