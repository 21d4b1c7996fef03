#include "cuda/library_watch.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

namespace tutti::cuda {

namespace {

const char* file_name(const char* path) noexcept {
  const char* const slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// The entry must outlive the question: a library that stays is never taken off the list.
bool keep(const link_map& library) noexcept {
  const char* const name = library.l_name[0] == '\0' ? nullptr : library.l_name;
  return dlopen(name, RTLD_LAZY | RTLD_NOLOAD | (name == nullptr ? 0 : RTLD_NODELETE)) != nullptr;
}

}  // namespace

bool LibraryWatch::has_news() const noexcept {
  const link_map* const last = last_.load(std::memory_order_relaxed);
  return last == nullptr || __atomic_load_n(&last->l_next, __ATOMIC_RELAXED) != nullptr;
}

bool LibraryWatch::look_further() noexcept {
  const link_map* const last = last_.load(std::memory_order_acquire);
  const link_map* at = last != nullptr ? last : _r_debug.r_map;
  const link_map* kept = last;
  for (; at != nullptr; at = at->l_next) {
    if (std::strncmp(file_name(at->l_name), prefix_, std::strlen(prefix_)) == 0)
      seen_.store(true, std::memory_order_relaxed);
    // Not every entry can be kept, as that of the kernel's own page; then it is looked at again.
    if (at->l_next == nullptr && keep(*at)) kept = at;
  }
  last_.store(kept, std::memory_order_release);
  return seen_.load(std::memory_order_relaxed);
}

}  // namespace tutti::cuda
