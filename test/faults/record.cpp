#include "faults/record.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

namespace tutti::faults {
namespace {

// The clock of the machine, so that lines of different ranks can be compared.
long long milliseconds() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
}

int record = STDERR_FILENO;

}  // namespace

void open_record(int rank) {
  const char* const directory = std::getenv("FAULTS_DIR");
  if (directory == nullptr) return;
  const std::string path = std::string(directory) + "/rank." + std::to_string(rank);
  record = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

void say(const std::string& word, const std::string& text) {
  std::string line = std::to_string(milliseconds()) + " " + word;
  if (!text.empty()) line += " ";
  for (const char c : text) line += c == '\n' ? std::string(" | ") : std::string(1, c);
  line += "\n";
  static_cast<void>(!write(record, line.data(), line.size()));
}

}  // namespace tutti::faults
