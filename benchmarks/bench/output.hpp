#pragma once

#include <fstream>
#include <iostream>
#include <string>

#include "bench/agreement.hpp"
#include "common/console.hpp"

namespace tutti::bench {

/// Where rank 0 writes its result: a file, or standard output.
class Output {
 public:
  /// Collective. @throws Error on all ranks alike if the file cannot be written.
  Output(const std::string& file, const Console& console, Agreement& agreement);
  std::ostream& stream() { return file_.is_open() ? file_ : std::cout; }

 private:
  std::ofstream file_;
};

}  // namespace tutti::bench
