#pragma once

#include <string>

namespace tutti {

/// The name of this machine, as messages show it.
std::string host_name();

}  // namespace tutti
