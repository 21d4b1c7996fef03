#include "text_file.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace cg {

namespace {
[[noreturn]] void fail(const std::string& name, const char* what) {
  throw std::runtime_error(name + ": " + what + ": " + std::generic_category().message(errno));
}
}  // namespace

TextFile::TextFile(std::string name) : name_(std::move(name)), out_(name_) {
  if (!out_) fail(name_, "cannot be opened for writing");
}

void TextFile::close() {
  out_.close();
  if (!out_) fail(name_, "cannot be written");
}

}  // namespace cg
