#pragma once

#include "core/cuda_api.hpp"

namespace fake {

/** What differs between the fake libcudart.so.12 and libcudart.so.13. */
int runtime_version();

struct ErrorText {
  const char* name;
  const char* text;
};

ErrorText error_text(cudaError_t error);

/** Scripted value, else a plausible one. */
int device_attribute(int attribute, int device);

/** Name of a device as both versions of cudaDeviceProp hold it. */
void write_device_name(char* text, unsigned long length, int device);

}  // namespace fake
