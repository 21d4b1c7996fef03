#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <tutti/version.hpp>

#include <iostream>
#include <sstream>

#include "common/console.hpp"
#include "common/mpi_support.hpp"
#include "info/information.hpp"
#include "info/support.hpp"

namespace tutti::bench {

int info_main(int argc, char** argv) {
  int rank = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  CLI::App app("Tells what tutti finds here and who would serve which memory.", "tutti-info");
  app.set_version_flag("--version", fmt::format("tutti-info {}", version()));
  bool json = false;
  CLI::Option* const json_flag = app.add_flag("--json", json, "One JSON object instead of text");
  bool support = false;
  app.add_flag("--support", support,
               "The table of types and reductions that are served, in Markdown")
      ->excludes(json_flag);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    const int status = app.exit(error, out, err) == 0 ? 0 : 2;
    if (rank == 0) {
      std::cout << out.str() << std::flush;
      std::cerr << err.str();
    }
    return status;
  }
  if (support) {
    const std::string table = to_markdown(support_tables(MPI_COMM_WORLD));
    if (rank == 0) std::cout << table << std::flush;
    return 0;
  }
  const Information information = gather_information(argc, argv);
  if (rank == 0) {
    if (json)
      std::cout
          << to_json(information).dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
          << std::endl;
    else
      std::cout << to_text(information) << std::flush;
  }
  return 0;
}

}  // namespace tutti::bench
