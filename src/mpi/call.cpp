#include "mpi/call.hpp"

#include <string_view>

#include "core/text.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi {

namespace {

[[noreturn]] void fail(int code, std::string_view call) {
  char words[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  if (MPI_Error_string(code, words, &length) != MPI_SUCCESS) length = 0;
  throw Error(Errc::mpi, text(call.substr(0, call.find('(')), " failed: ",
                              length > 0 ? std::string_view(words) : "MPI has no text for its code",
                              " (code ", code, ")"));
}

}  // namespace

void check(int code, const char* call) {
  if (code != MPI_SUCCESS) [[unlikely]]
    fail(code, call);
}

}  // namespace tutti::mpi
