#pragma once

#include <string>
#include <vector>

namespace tutti {

/// A library that was opened at run time and stays open until the process ends, or why there is
/// none. Never throws: a library that is missing is a reason, not a failure.
class SharedLibrary {
 public:
  struct Candidate {
    std::string name;        ///< as dlopen takes it
    bool if_loaded = false;  ///< only if this process has it already
  };

  SharedLibrary() = default;
  /// The first candidate that opens.
  explicit SharedLibrary(const std::vector<Candidate>& candidates);

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// Where it was found.
  const std::string& path() const noexcept { return path_; }
  /// What the loader said of each candidate; empty when one opened.
  const std::string& why_not() const noexcept { return why_not_; }
  /// Null if it has no such symbol.
  void* symbol(const char* name) const noexcept;

 private:
  void* handle_ = nullptr;
  std::string path_;
  std::string why_not_;
};

/// Paths of the libraries that this process has loaded and whose file name begins with `prefix`.
std::vector<std::string> loaded_libraries(const std::string& prefix);

/// Folders that may hold a device library: $CUDA_HOME/lib64 and the like, /usr/local/cuda/lib64,
/// and `pip_folder` (say nvidia/nccl/lib) below the site-packages that $VIRTUAL_ENV or
/// $CONDA_PREFIX have and below those where other nvidia libraries of this process lie.
std::vector<std::string> device_library_folders(const std::string& pip_folder);

}  // namespace tutti
