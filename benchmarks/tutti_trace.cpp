#include "trace/output.hpp"

int main(int argc, char** argv) {
  return tutti::trace::trace_main(argc, argv);
}
