#include "command_line.hpp"

#include <CLI/CLI.hpp>

namespace cg {

namespace {

/// Written so that nan fails as well.
std::string check_tolerance(const std::string& text) {
  double value = 0;
  const bool fine = CLI::detail::lexical_cast(text, value) && value > 0 && value < 1;
  return fine ? std::string() : "must lie between 0 and 1, not " + text;
}

}  // namespace

std::optional<int> CommandLine::parse(int argc, const char* const* argv, bool speak) {
  CLI::App app(
      "Solves A x = b by conjugate gradients, the rows of A spread over the ranks.\n"
      "b is made from a known solution, so that the true error is printed too.");
  auto* source = app.add_option_group("matrix")->require_option(1);
  auto* grid_option = source->add_option("--grid", grid, "Poisson's equation on an N x N grid")
                          ->type_name("N")
                          ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}));
  source->add_option("--matrix", matrix, "Matrix Market file; rank 0 alone reads it")
      ->type_name("FILE");
  app.add_option("--write", write, "write the matrix of --grid to a Matrix Market file and stop")
      ->type_name("FILE")
      ->needs(grid_option);
  app.add_option("--tolerance", limits.tolerance, "largest relative residual")
      ->type_name("T")
      ->check(check_tolerance)
      ->capture_default_str();
  app.add_option("--max-iterations", limits.iterations, "give up after so many")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 62))  // CLI11 reads -1 as 2^64 - 1
      ->capture_default_str();
  app.add_option("--output", output, "write the solution, a Matrix Market array")
      ->type_name("FILE");
  app.add_flag("--json", json, "print one JSON object instead of text");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (speak) app.exit(error);
    return error.get_exit_code() == 0 ? 0 : 2;
  }
  return std::nullopt;
}

}  // namespace cg
