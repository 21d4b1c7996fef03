#include "text_file.hpp"

#include <stdexcept>
#include <system_error>

namespace cg {

namespace {
[[noreturn]] void fail(const std::string& name, const char* what, int error) {
  throw std::runtime_error(name + ": " + what + ": " + std::generic_category().message(error));
}
}  // namespace

TextFile::TextFile(std::string name) : name_(std::move(name)), out_(name_) {
  if (!out_) fail(name_, "cannot be opened for writing", errno);
}

void TextFile::close() {
  out_.close();
  if (!out_) fail(name_, "cannot be written", error_ != 0 ? error_ : errno);
}

}  // namespace cg
