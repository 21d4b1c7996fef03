#include "tutti/error.hpp"

#include "core/host.hpp"
#include "core/text.hpp"

namespace tutti {

namespace {

std::string compose(Errc code, const std::string& cause, const ErrorPlace& place) {
  std::string message = "tutti: ";
  if (!place.operation.empty()) message += place.operation + ": ";
  message += cause;
  if (place.rank >= 0)
    message += text(" (rank ", place.rank, " of ", place.size, " on ", host_name(), ")");
  return message + text(" [", to_string(code), "]");
}

}  // namespace

std::string_view to_string(Errc code) noexcept {
  switch (code) {
    case Errc::invalid_argument:
      return "invalid_argument";
    case Errc::unsupported:
      return "unsupported";
    case Errc::mismatch:
      return "mismatch";
    case Errc::timeout:
      return "timeout";
    case Errc::aborted:
      return "aborted";
    case Errc::broken:
      return "broken";
    case Errc::mpi:
      return "mpi";
    case Errc::cuda:
      return "cuda";
    case Errc::nccl:
      return "nccl";
    case Errc::library:
      return "library";
    case Errc::memory:
      return "memory";
  }
  __builtin_unreachable();
}

Error::Error(Errc code, std::string cause, ErrorPlace place)
    : std::runtime_error(compose(code, cause, place)),
      code_(code),
      cause_(std::move(cause)),
      place_(std::move(place)) {}

}  // namespace tutti
