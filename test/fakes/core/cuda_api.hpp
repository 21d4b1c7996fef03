#pragma once

// The real header decides the prototypes. The libraries are built with hidden symbols, and only
// what the header declares is exported from them.
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop
