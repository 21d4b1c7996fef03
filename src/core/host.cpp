#include "core/host.hpp"

#include <unistd.h>

namespace tutti {

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0) return "an unnamed host";
  return name;
}

}  // namespace tutti
