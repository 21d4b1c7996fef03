#include "common/console.hpp"
#include "info/information.hpp"

int main(int argc, char** argv) {
  return tutti::bench::run_tool("tutti-info", argc, argv,
                                [&] { return tutti::bench::info_main(argc, argv); });
}
