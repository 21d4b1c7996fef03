#include "bench/application.hpp"
#include "common/console.hpp"

int main(int argc, char** argv) {
  return tutti::bench::run_tool("tutti-bench", argc, argv,
                                [&] { return tutti::bench::bench_main(argc, argv); });
}
