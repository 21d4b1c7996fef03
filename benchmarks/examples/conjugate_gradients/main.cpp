#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <tutti/tutti.hpp>
#include <utility>
#include <vector>

#include "agreement.hpp"
#include "command_line.hpp"
#include "conjugate_gradients.hpp"
#include "distributed_matrix.hpp"
#include "known_problem.hpp"
#include "matrix_market.hpp"
#include "poisson.hpp"
#include "report.hpp"
#include "text_file.hpp"

namespace {

/// A file is read by rank 0, since nothing says that the other nodes see it; generated rows are
/// made where they are needed.
cg::DistributedMatrix load(const tutti::Communicator& world, const cg::CommandLine& line) {
  if (line.grid > 0) {
    cg::RowPartition partition = cg::RowPartition::even(line.grid * line.grid, world.size());
    cg::CsrMatrix own =
        cg::poisson_rows(line.grid, partition.first(world.rank()), partition.count(world.rank()));
    return {std::move(partition), std::move(own)};
  }
  cg::CsrMatrix whole;
  cg::on_rank_zero(world, [&] { whole = cg::read_matrix_market(line.matrix); });
  return cg::distribute(world, whole);
}

void write_solution(const tutti::Communicator& world, const cg::RowPartition& partition,
                    const std::vector<double>& own, const std::string& file) {
  std::vector<double> whole(world.rank() == 0 ? partition.rows() : 0);
  world.gather(own, whole, 0, tutti::Blocks(partition.counts()));
  cg::on_rank_zero(world, [&] {
    cg::TextFile out(file);
    out.print("%%MatrixMarket matrix array real general\n{} 1\n", whole.size());
    for (const double value : whole) out.print("{}\n", value);
    out.close();
  });
}

void run(const tutti::Communicator& world, const cg::CommandLine& line) {
  if (!line.write.empty()) {
    return cg::on_rank_zero(world, [&] { cg::write_poisson(line.grid, line.write); });
  }
  const cg::DistributedMatrix matrix = load(world, line);
  const cg::KnownProblem problem(world, matrix);

  std::vector<double> x(problem.b().size());
  const cg::Statistics statistics = cg::solve(world, matrix, problem.b(), x, line.limits);

  const cg::Accuracy accuracy = problem.check(world, matrix, x);
  const cg::Report report = cg::make_report(world, matrix, statistics, accuracy);
  cg::on_rank_zero(
      world, [&] { fmt::print("{}", line.json ? cg::as_json(report) : cg::as_text(report)); });
  if (const std::string why = cg::failure_of(statistics, line.limits); !why.empty()) {
    throw cg::AgreedFailure(why);
  }
  if (!line.output.empty()) write_solution(world, matrix.partition(), x, line.output);
}

}  // namespace

int main(int argc, char** argv) try {
  tutti::Environment mpi(argc, argv);
  tutti::Communicator world(MPI_COMM_WORLD);
  try {
    cg::CommandLine line;
    if (const auto status = line.parse(argc, argv, world.rank() == 0)) return *status;
    run(world, line);
    return 0;
  } catch (const cg::AgreedFailure& failure) {
    if (world.rank() == 0) fmt::print(stderr, "conjugate_gradients: {}\n", failure.what());
    return 1;
  } catch (const std::bad_alloc&) {
    tutti::end_job(1, "out of memory: a rank holds its rows and a few vectors, one of them whole");
  } catch (const std::exception& error) {
    // The other ranks may wait for this one: they end with it.
    tutti::end_job(1, error.what());
  }
} catch (const std::exception& error) {  // there is no MPI, or no communicator
  fmt::print(stderr, "conjugate_gradients: {}\n", error.what());
  return 1;
}
