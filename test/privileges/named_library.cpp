// A library that tells when it is opened.
#include <cstdio>

namespace {

[[gnu::constructor]] void tell() {
  std::puts("library");
}

}  // namespace
