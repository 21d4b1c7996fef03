#include "mpi/node/tuning.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/text.hpp"
#include "core/variables.hpp"
#include "tutti/error.hpp"

namespace tutti::mpi::node {

namespace {

// Far more than all rules that make sense: what is longer is some other file.
constexpr std::size_t longest_file = std::size_t{1} << 20;

// No file's name has it.
constexpr char separator = '\0';

[[noreturn]] void refuse(std::string_view file, const std::string& why) {
  throw Error(Errc::invalid_argument, text("TUTTI_TUNE, ", printable(file), ": ", why));
}

}  // namespace

std::string read_tuning() {
  const char* const name = file_variable("TUTTI_TUNE");
  if (name == nullptr) return {};
  errno = 0;
  std::ifstream file(name, std::ios::binary);
  std::string contents(longest_file + 1, '\0');
  file.read(contents.data(), static_cast<std::streamsize>(contents.size()));
  if (file.bad() || !file.is_open() || (file.gcount() == 0 && errno != 0))
    refuse(name, text("it cannot be read: ", std::strerror(errno)));
  contents.resize(static_cast<std::size_t>(file.gcount()));
  if (contents.size() > longest_file) refuse(name, "it is longer than 1 MiB, so no table");
  std::string told = std::string(name) + separator + contents;
  static_cast<void>(parse_tuning(told));
  return told;
}

Tuning parse_tuning(std::string_view text) {
  const std::size_t end = text.find(separator);
  const std::string file = printable(text.substr(0, end));
  return {parse_rules(text.substr(end + 1), file), file};
}

}  // namespace tutti::mpi::node
