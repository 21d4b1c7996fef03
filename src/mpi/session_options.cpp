#include <array>
#include <memory>
#include <vector>

#include "core/text.hpp"
#include "mpi/call.hpp"
#include "mpi/session.hpp"

namespace tutti::mpi {

namespace {

using OptionValues = std::array<long long, 9>;
constexpr const char* option_names[] = {"timeout",       "check",     "nccl",
                                        "join",          "fallback",  "host_path",
                                        "deterministic", "max_count", "node_size"};

OptionValues values_of(const Options& o) {
  return {o.timeout.count(),
          static_cast<long long>(o.check),
          static_cast<long long>(o.nccl),
          static_cast<long long>(o.join),
          static_cast<long long>(o.fallback),
          static_cast<long long>(o.host_path),
          static_cast<long long>(o.deterministic),
          static_cast<long long>(o.max_count),
          static_cast<long long>(o.node_size)};
}

}  // namespace

// Ranks that take different ways through an operation would wait for each other for ever.
void Session::check_equal_options(Deadline deadline) {
  struct Memory {
    OptionValues mine;
    std::vector<OptionValues> all;
  };
  const auto memory = std::make_shared<Memory>(
      Memory{values_of(options_), std::vector<OptionValues>(static_cast<std::size_t>(size_))});
  auto& [mine, all] = *memory;
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_MPI(MPI_Iallgather(mine.data(), static_cast<int>(mine.size()), MPI_LONG_LONG, all.data(),
                           static_cast<int>(mine.size()), MPI_LONG_LONG, comm_, &request));
  finish(request, memory, deadline,
         "not all ranks had told their options when the deadline passed");
  for (std::size_t r = 1; r < all.size(); ++r)
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (all[r][i] != all[0][i])
        throw Error(Errc::mismatch,
                    text("construction: Options::", option_names[i],
                         " must be equal on all ranks: ", all[0][i], " on rank 0, ", all[r][i],
                         " on rank ", r, " (TUTTI_ variables included)"),
                    {"", rank_, size_});
}

}  // namespace tutti::mpi
