#include <fmt/format.h>
#include <tutti/error.hpp>

#include <algorithm>
#include <array>
#include <climits>

#include "bench/contender.hpp"
#include "bench/mpi_types.hpp"
#include "common/mpi_support.hpp"

namespace tutti::bench {
namespace {

std::vector<int> to_int(const std::vector<std::size_t>& values) {
  std::vector<int> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(),
                 [](std::size_t value) { return static_cast<int>(value); });
  return result;
}

/// Elements that this rank's own count argument names.
int own_count(const Job& job) {
  return static_cast<int>(job.uneven ? job.own_count() : job.count);
}

class MpiAction final : public Action {
 public:
  MpiAction(const Job& job, const Ranges& ranges, MPI_Comm comm)
      : collective_(*job.collective),
        counts_(to_int(job.counts)),
        offsets_(to_int(job.offsets)),
        pair_counts_(to_int(job.pair_counts)),
        pair_offsets_(to_int(job.pair_offsets)),
        call_{.job = job,
              .send = ranges.send.data,
              .receive = ranges.receive.data,
              .data = ranges.data.data,
              .count = own_count(job),
              .type = mpi_type(job.type),
              .op = collective_.reduces ? mpi_op(job.op, job.type) : MPI_OP_NULL,
              .comm = comm,
              .counts = counts_.data(),
              .offsets = offsets_.data(),
              .pair_counts = pair_counts_.data(),
              .pair_offsets = pair_offsets_.data(),
              .requests = job.verb == Verb::start ? requests_.data() : nullptr} {
    requests_.fill(MPI_REQUEST_NULL);
  }

  void run() override {
    check_mpi(collective_.mpi(call_), collective_.name);
    if (!call_.blocking())
      check_mpi(
          MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
  }

 private:
  const Collective& collective_;
  std::vector<int> counts_, offsets_, pair_counts_, pair_offsets_;
  std::array<MPI_Request, 2> requests_;
  MpiCall call_;
};

class Mpi final : public Contender {
 public:
  explicit Mpi(MPI_Comm comm) : comm_(comm) {}

  std::string_view name() const noexcept override { return "mpi"; }

  std::string refusal(const Job& job) const override {
    if (job.total > INT_MAX) return "the count does not fit into an MPI call";
    if (job.collective->reduces && mpi_op(job.op, job.type) == MPI_OP_NULL)
      return fmt::format("MPI has no {} of {}", to_string(job.op), to_string(job.type));
    return {};
  }

  std::unique_ptr<Action> prepare(const Job& job, const Ranges& ranges) const override {
    return std::make_unique<MpiAction>(job, ranges, comm_.get());
  }

 private:
  OwnComm comm_;
};

}  // namespace

std::unique_ptr<Contender> make_mpi(MPI_Comm comm) {
  return std::make_unique<Mpi>(comm);
}

}  // namespace tutti::bench
