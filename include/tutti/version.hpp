#pragma once

#include <string_view>

#include "tutti/detail/export.hpp"

// Kept equal to the version in meson.build; a test compares them.
#define TUTTI_VERSION_MAJOR 0
#define TUTTI_VERSION_MINOR 1
#define TUTTI_VERSION_PATCH 0

namespace tutti {

/// "0.1.0": of the library that is loaded, which may differ from the headers' macros.
TUTTI_API std::string_view version() noexcept;

/// The MPI library that tutti was built with, and the one that is loaded: one line each.
TUTTI_API std::string_view built_with_mpi() noexcept;
TUTTI_API std::string_view loaded_mpi();

}  // namespace tutti
