#pragma once

#include <string>

namespace tutti::bench {

/// A function of a library that this process has loaded, whose file name begins with `prefix`.
/// @throws Error (library) if there is none.
void* loaded_function(const std::string& prefix, const char* name);
/// The same; null if there is none.
void* loaded_function_or_null(const std::string& prefix, const char* name) noexcept;

template <class Function>
Function* loaded(const std::string& prefix, const char* name) {
  return reinterpret_cast<Function*>(loaded_function(prefix, name));
}

}  // namespace tutti::bench
