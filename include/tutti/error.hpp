#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "tutti/detail/export.hpp"

namespace tutti {

/// Why a call failed.
enum class Errc {
  invalid_argument,  ///< refused before anything moved; the communicator is whole
  unsupported,       ///< no backend can do this operation; the communicator is whole
  mismatch,          ///< the ranks did not call the same operation; the communicator is whole
  timeout,           ///< a deadline passed; the communicator is broken
  aborted,           ///< someone aborted the communicator
  broken,            ///< an earlier failure broke the communicator
  mpi,               ///< an MPI call failed
  cuda,              ///< a CUDA call failed
  nccl,              ///< an NCCL call failed
  library,           ///< a library could not be loaded or used
  memory,            ///< no memory for what the operation needs
};

/// "invalid_argument", ...
TUTTI_API std::string_view to_string(Errc code) noexcept;

/// Where an error happened; what is not known stays empty or negative.
struct ErrorPlace {
  std::string operation;
  int rank = -1;
  int size = -1;
};

/// Every failure that tutti reports. `what()` holds the operation, the rank and size, the host, the
/// offending value, the rule and the cause.
class TUTTI_API Error : public std::runtime_error {
 public:
  Error(Errc code, std::string cause, ErrorPlace place = {});

  Errc code() const noexcept { return code_; }
  /// The rank in the communicator that failed; -1 when no communicator was involved.
  int rank() const noexcept { return place_.rank; }
  int size() const noexcept { return place_.size; }
  const std::string& operation() const noexcept { return place_.operation; }
  /// The offending value, the rule, the failing library's own words.
  const std::string& cause() const noexcept { return cause_; }

 private:
  Errc code_;
  std::string cause_;
  ErrorPlace place_;
};

}  // namespace tutti
