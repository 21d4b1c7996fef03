#pragma once

// See cuda_api.hpp.
#pragma GCC visibility push(default)
#include <nccl.h>

// NCCL 2.28.7 brought it; the fakes have it whatever the headers know.
#ifndef NCCL_REVOKE_DEFAULT
#define NCCL_REVOKE_DEFAULT 0
extern "C" ncclResult_t ncclCommRevoke(ncclComm_t comm, int flags);
#endif
#pragma GCC visibility pop
