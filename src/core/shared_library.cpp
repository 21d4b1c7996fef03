#include "core/shared_library.hpp"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>

#include <cstdlib>
#include <string_view>

#include "core/text.hpp"
#include "core/variables.hpp"

namespace tutti {

namespace {

std::string path_of(void* handle, const std::string& name) {
  struct link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name[0] == '\0')
    return name;
  return map->l_name;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

void add_matches(const std::string& pattern, std::vector<std::string>& folders) {
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) folders.emplace_back(found.gl_pathv[i]);
  globfree(&found);
}

struct Listing {
  const std::string& prefix;
  std::vector<std::string> paths;
};

int list_one(dl_phdr_info* info, std::size_t, void* context) {
  auto& listing = *static_cast<Listing*>(context);
  const std::string_view path(info->dlpi_name == nullptr ? "" : info->dlpi_name);
  if (file_name(path).substr(0, listing.prefix.size()) == listing.prefix)
    listing.paths.emplace_back(path);
  return 0;
}

}  // namespace

SharedLibrary::SharedLibrary(const std::vector<Candidate>& candidates) {
  for (const Candidate& candidate : candidates) {
    const int only_if_loaded = candidate.if_loaded ? RTLD_NOLOAD : 0;
    handle_ = dlopen(candidate.name.c_str(), RTLD_NOW | RTLD_LOCAL | only_if_loaded);
    if (handle_ != nullptr) {
      path_ = path_of(handle_, candidate.name);
      why_not_.clear();
      return;
    }
    const char* const words = dlerror();
    if (candidate.if_loaded) continue;
    if (!why_not_.empty()) why_not_ += "; ";
    why_not_ += printable(words != nullptr ? words : candidate.name + " cannot be opened", 500);
  }
}

void* SharedLibrary::symbol(const char* name) const noexcept {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

std::vector<std::string> loaded_libraries(const std::string& prefix) {
  Listing listing{prefix, {}};
  dl_iterate_phdr(list_one, &listing);
  return std::move(listing.paths);
}

std::vector<std::string> device_library_folders(const std::string& pip_folder) {
  std::vector<std::string> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "NCCL_HOME"})
    if (const char* const root = file_variable(name))
      for (const char* below : {"/lib64", "/lib"}) folders.push_back(std::string(root) + below);
  folders.insert(folders.end(), {"/usr/local/cuda/lib64", "/usr/local/cuda/lib"});
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char* const root = file_variable(name))
      add_matches(std::string(root) + "/lib/python3*/site-packages/" + pip_folder, folders);
  // A framework that brought one of the wheels into this process has the others beside it.
  for (const std::string& path : loaded_libraries("lib")) {
    const std::size_t at = path.find("/nvidia/");
    if (at != std::string::npos) folders.push_back(path.substr(0, at + 1) + pip_folder);
  }
  return folders;
}

}  // namespace tutti
