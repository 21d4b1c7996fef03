#include "bench/output.hpp"

#include <tutti/error.hpp>

#include <stdexcept>

namespace tutti::bench {

Output::Output(const std::string& file, const Console& console, Agreement& agreement) {
  const std::string failure = agreement.agree(attempt([&] {
    if (file.empty() || !console.speaks()) return;
    file_.open(file);
    if (!file_) throw std::runtime_error("cannot write to " + file);
  }));
  if (!failure.empty()) throw Error(Errc::invalid_argument, failure);
}

}  // namespace tutti::bench
