#pragma once

#include <string>

namespace tutti {

enum class ProcessState { running, stopped, gone };

/// Of a process of this machine.
ProcessState look_at_process(int id);

/// "; its process 17 is stopped by a signal", or that it is gone; nothing where it runs.
std::string words_about_process(int id, ProcessState state);

}  // namespace tutti
