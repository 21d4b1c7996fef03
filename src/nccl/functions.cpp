#include "nccl/functions.hpp"

#include <cstdlib>
#include <string_view>

#include "core/log.hpp"
#include "core/shared_library.hpp"
#include "core/text.hpp"
#include "core/variables.hpp"
#include "nccl/available.hpp"
#include "nccl/version.hpp"
#include "tutti/error.hpp"

namespace tutti::nccl {

namespace {

std::vector<SharedLibrary::Candidate> candidates() {
  if (const char* const chosen = file_variable("TUTTI_NCCL_LIBRARY")) return {{chosen}};
  std::vector<SharedLibrary::Candidate> list;
  // Two copies in one process would not know of each other's communicators.
  for (const std::string& path : loaded_libraries("libnccl.so")) list.push_back({path, true});
  list.push_back({"libnccl.so.2"});
  for (const std::string& folder : device_library_folders("nvidia/nccl/lib"))
    list.push_back({folder + "/libnccl.so.2"});
  return list;
}

/// The library of this process, opened once.
struct Library {
  SharedLibrary library{candidates()};
  Functions table;
  std::string why_not;

  Library() {
    if (!library) {
      why_not = "no NCCL (libnccl.so.2): " + library.why_not();
      return;
    }
    fill();
    if (table.ncclGetVersion != nullptr && table.ncclGetVersion(&table.version) != ncclSuccess)
      table.version = 0;
    if (table.version < oldest_version || !why_not.empty())
      why_not = text(library.path(), " is NCCL ", version_text(table.version), "; tutti needs ",
                     version_text(oldest_version), " or newer",
                     why_not.empty() ? "" : " (it has no " + why_not + ")");
    if (!why_not.empty()) return;
    log(LogLevel::info, text("NCCL ", version_text(table.version), ": ", library.path(),
                             ", built for ", version_text(NCCL_VERSION_CODE)));
  }

  void fill() {
#define TUTTI_FIND(name)                                                      \
  table.name = reinterpret_cast<decltype(table.name)>(library.symbol(#name)); \
  if (table.name == nullptr) why_not += (why_not.empty() ? "" : ", ") + std::string(#name);
    TUTTI_NCCL_FUNCTIONS(TUTTI_FIND)
#undef TUTTI_FIND
#define TUTTI_FIND(name, since, parameters) \
  table.name = reinterpret_cast<decltype(table.name)>(library.symbol(#name));
    TUTTI_NCCL_OPTIONAL_FUNCTIONS(TUTTI_FIND)
#undef TUTTI_FIND
  }
};

// Never destroyed: communicators may outlive static destructors.
const Library& library() {
  static const Library* const it = new Library;
  return *it;
}

}  // namespace

const std::string& why_unavailable() noexcept {
  return library().why_not;
}
int loaded_version() noexcept {
  return library().table.version;
}

LoadedLibrary loaded_library() {
  const Library& l = library();
  return {l.library.path(), l.table.version == 0 ? "" : version_text(l.table.version),
          version_text(NCCL_VERSION_CODE), l.why_not};
}

const std::string& library_path() noexcept {
  return library().library.path();
}

const Functions* functions_or_null() noexcept {
  const Library& l = library();
  return l.why_not.empty() ? &l.table : nullptr;
}

constinit std::atomic<const Functions*> opened_functions{nullptr};

const Functions& open_functions() {
  const Library& l = library();
  if (!l.why_not.empty()) throw Error(Errc::library, l.why_not);
  opened_functions.store(&l.table, std::memory_order_release);
  return l.table;
}

std::string why_missing(const char* function) {
#define TUTTI_COMPARE(name, since, parameters)                             \
  if (std::string_view(function) == #name)                                 \
    return text(#name " needs NCCL ", version_text(since), ", loaded is ", \
                version_text(functions().version), " (", library_path(), ')');
  TUTTI_NCCL_OPTIONAL_FUNCTIONS(TUTTI_COMPARE)
#undef TUTTI_COMPARE
  return text("NCCL has no ", function);
}

}  // namespace tutti::nccl
