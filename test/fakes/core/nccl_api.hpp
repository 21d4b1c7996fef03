#pragma once

// See cuda_api.hpp.
#pragma GCC visibility push(default)
#include <nccl.h>
#pragma GCC visibility pop
