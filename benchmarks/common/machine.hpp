#pragma once

#include <cstddef>
#include <string>
#include <vector>

// What this process can see of its machine, without MPI.

namespace tutti::bench {

/// "AMD EPYC 7763": the processor's name, or the architecture's where it has none.
std::string cpu_model();

/// A bit for each core that this process may run on.
std::vector<unsigned char> allowed_cores();

/// Bytes that could be allocated without swapping: the least of the machine's and the cgroup's.
std::size_t available_memory();

/// "2026-01-31T12:00:00Z": now.
std::string utc_date();

/// "gcc 12.2.0": what these tools were built by.
std::string compiler();

}  // namespace tutti::bench
