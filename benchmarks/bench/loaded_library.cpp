#include "bench/loaded_library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <tutti/error.hpp>

namespace tutti::bench {
namespace {

struct Search {
  const std::string& prefix;
  std::string path;
};

int look(dl_phdr_info* info, std::size_t, void* context) {
  auto& search = *static_cast<Search*>(context);
  const std::string path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  if (path.compare(path.rfind('/') + 1, search.prefix.size(), search.prefix) != 0) return 0;
  search.path = path;
  return 1;
}

}  // namespace

void* loaded_function_or_null(const std::string& prefix, const char* name) noexcept {
  Search search{prefix, {}};
  dl_iterate_phdr(look, &search);
  void* const library =
      search.path.empty() ? nullptr : dlopen(search.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, name);
}

void* loaded_function(const std::string& prefix, const char* name) {
  void* const function = loaded_function_or_null(prefix, name);
  if (function == nullptr) throw Error(Errc::library, prefix + " is not loaded or has no " + name);
  return function;
}

}  // namespace tutti::bench
