#include "cuda/functions.hpp"

#include <atomic>
#include <cstdlib>

#include "core/log.hpp"
#include "core/shared_library.hpp"
#include "core/text.hpp"
#include "core/variables.hpp"
#include "cuda/runtime.hpp"
#include "tutti/error.hpp"

namespace tutti::cuda {

namespace {

std::atomic<bool> was_opened{false};

std::vector<SharedLibrary::Candidate> candidates() {
  if (const char* const chosen = file_variable("TUTTI_CUDART_LIBRARY")) return {{chosen}};
  std::vector<SharedLibrary::Candidate> list;
  // Two runtimes in one process work, but one that is there already is the application's choice.
  for (const std::string& path : loaded_libraries("libcudart.so")) list.push_back({path, true});
  constexpr int built_for = CUDART_VERSION / 1000;
  std::vector<std::string> names;
  for (const int major : {built_for, 14, 13, 12, 11})
    if (names.empty() || major != built_for) names.push_back(text("libcudart.so.", major));
  for (const std::string& name : names) list.push_back({name});
  for (const std::string& folder : device_library_folders("nvidia/cuda_runtime/lib"))
    for (const std::string& name : names) list.push_back({folder + "/" + name});
  for (const std::string& folder : device_library_folders("nvidia/cu13/lib"))
    list.push_back({folder + "/libcudart.so.13"});
  return list;
}

// 12040 is 12.4.
std::string version_text(int code) {
  return text(code / 1000, '.', code % 1000 / 10);
}

/// The runtime of this process, opened once.
struct Runtime {
  SharedLibrary library{candidates()};
  Functions table;
  std::string why_not;
  int version = 0;

  Runtime() {
    if (!library) {
      why_not = "no CUDA runtime (libcudart): " + library.why_not();
      return;
    }
    fill();
    if (!why_not.empty()) return;
    if (table.cudaRuntimeGetVersion(&version) != cudaSuccess) version = 0;
    if (version < 11000) {
      why_not = text(library.path(), " is version ", version_text(version),
                     "; tutti needs CUDA 11.4 or newer");
      return;
    }
    // Without a device there is no device memory, and no pointer need ever be asked about.
    int devices = 0;
    if (table.cudaGetDeviceCount(&devices) != cudaSuccess)
      static_cast<void>(table.cudaGetLastError());
    was_opened.store(devices > 0, std::memory_order_release);
    log(LogLevel::info, "CUDA runtime: " + library.path());
  }

  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(library.symbol(name));
    if (function == nullptr && why_not.empty())
      why_not = text(library.path(), " has no ", name, "; tutti needs CUDA 11.4 or newer");
  }

  void fill() {
#define TUTTI_FIND(name) find(table.name, #name);
    TUTTI_CUDART_FUNCTIONS(TUTTI_FIND)
#undef TUTTI_FIND
    find(table.get_properties, "cudaGetDeviceProperties");
  }
};

// Never destroyed: static destructors of the application may still give memory back.
const Runtime& runtime() {
  static const Runtime* const it = new Runtime;
  return *it;
}

}  // namespace

const std::string& why_unavailable() noexcept {
  return runtime().why_not;
}
bool opened() noexcept {
  return was_opened.load(std::memory_order_acquire);
}

LoadedLibrary runtime_library() {
  const Runtime& r = runtime();
  return {r.library.path(), r.version == 0 ? "" : version_text(r.version),
          version_text(CUDART_VERSION), r.why_not};
}

std::string driver_version() noexcept {
  const Functions* const f = functions_or_null();
  int version = 0;
  if (f == nullptr || f->cudaDriverGetVersion(&version) != cudaSuccess || version == 0) return {};
  return version_text(version);
}

const Functions* functions_or_null() noexcept {
  const Runtime& r = runtime();
  return r.why_not.empty() ? &r.table : nullptr;
}

constinit std::atomic<const Functions*> opened_functions{nullptr};

const Functions& open_functions() {
  const Runtime& r = runtime();
  if (!r.why_not.empty()) throw Error(Errc::library, r.why_not);
  opened_functions.store(&r.table, std::memory_order_release);
  return r.table;
}

void forget_error() noexcept {
  if (const Functions* const f = functions_or_null()) static_cast<void>(f->cudaGetLastError());
}

void check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) [[likely]]
    return;
  const Functions& f = functions();
  forget_error();
  const std::string_view whole(call);
  throw Error(code == cudaErrorMemoryAllocation ? Errc::memory : Errc::cuda,
              text(whole.substr(0, whole.find('(')), " failed: ", f.cudaGetErrorName(code), ", ",
                   f.cudaGetErrorString(code), " (code ", static_cast<int>(code), ")"));
}

bool check_ready(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return true;
  if (code != cudaErrorNotReady) check(code, call);
  return false;
}

}  // namespace tutti::cuda
