#pragma once

#include "bench/settings.hpp"
#include "common/console.hpp"
#include "common/job_environment.hpp"

namespace tutti::bench {

/// Measures which way each collective is fastest on 2, 4, 8, ... and all ranks, and writes the
/// table that TUTTI_TUNE takes to `settings.tune`. Collective over MPI_COMM_WORLD.
/// @throws Error where the ranks share no memory, or the file cannot be written.
void tune(const Settings& settings, const Console& console, const JobEnvironment& environment);

}  // namespace tutti::bench
