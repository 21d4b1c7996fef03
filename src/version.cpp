#include "tutti/version.hpp"

#include <mpi.h>

#include <string>

#include "mpi/call.hpp"

#define TUTTI_TEXT_OF(x) #x
#define TUTTI_TEXT(x) TUTTI_TEXT_OF(x)

namespace tutti {

std::string_view version() noexcept {
  return TUTTI_TEXT(TUTTI_VERSION_MAJOR) "." TUTTI_TEXT(TUTTI_VERSION_MINOR) "." TUTTI_TEXT(
      TUTTI_VERSION_PATCH);
}

std::string_view built_with_mpi() noexcept {
#if defined(OPEN_MPI)
  return "Open MPI " TUTTI_TEXT(OMPI_MAJOR_VERSION) "." TUTTI_TEXT(
      OMPI_MINOR_VERSION) "." TUTTI_TEXT(OMPI_RELEASE_VERSION);
#elif defined(MPICH_VERSION)
  return "MPICH " MPICH_VERSION;
#else
  return "MPI " TUTTI_TEXT(MPI_VERSION) "." TUTTI_TEXT(MPI_SUBVERSION);
#endif
}

std::string_view loaded_mpi() {
  static const std::string words = [] {
    char buffer[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    TUTTI_MPI(MPI_Get_library_version(buffer, &length));
    std::string first_line(buffer, static_cast<std::size_t>(length));
    first_line.resize(first_line.find_first_of("\n,", 0) == std::string::npos
                          ? first_line.size()
                          : first_line.find_first_of("\n,", 0));
    for (char& c : first_line)
      if (c == '\t') c = ' ';
    return first_line;
  }();
  return words;
}

}  // namespace tutti
