#include "mpi/call.hpp"

#include <string_view>

#include "core/text.hpp"
#include "mpi/leftovers.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi {

namespace {

[[noreturn]] void fail(int code, std::string_view call) {
  char words[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  if (tells_of_a_death(code)) leftovers::note_death();
  if (MPI_Error_string(code, words, &length) != MPI_SUCCESS) length = 0;
  throw Error(Errc::mpi, text(call.substr(0, call.find('(')), " failed: ",
                              length > 0 ? std::string_view(words) : "MPI has no text for its code",
                              " (code ", code, ")"));
}

}  // namespace

// What the standard calls so since Open MPI 5, others as an extension, some not at all.
bool tells_of_a_death(int code) noexcept {
  int kind = MPI_SUCCESS;
  if (MPI_Error_class(code, &kind) != MPI_SUCCESS) return false;
#if defined(MPI_ERR_PROC_FAILED)
  return kind == MPI_ERR_PROC_FAILED || kind == MPI_ERR_PROC_FAILED_PENDING ||
         kind == MPI_ERR_REVOKED;
#elif defined(MPIX_ERR_PROC_FAILED)
  return kind == (MPIX_ERR_PROC_FAILED) || kind == (MPIX_ERR_PROC_FAILED_PENDING) ||
         kind == (MPIX_ERR_REVOKED);
#else
  return false;
#endif
}

void check(int code, const char* call) {
  if (code != MPI_SUCCESS) [[unlikely]]
    fail(code, call);
}

}  // namespace tutti::mpi
