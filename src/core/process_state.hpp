#pragma once

#include <string>

namespace tutti {

/// "; its process 17 is stopped by a signal", or that it is gone; nothing where it runs. Of a
/// process of this machine.
std::string words_about_process(int id);

}  // namespace tutti
