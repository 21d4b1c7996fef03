#include "nccl/versions.hpp"

#include <cstdlib>

#include "core/hide_symbols.hpp"
#include "core/script.hpp"

#ifndef TUTTI_FAKE_NCCL_VERSION
#error "the build sets TUTTI_FAKE_NCCL_VERSION"
#endif

namespace fake {
namespace {

struct Introduced {
  std::string_view function;
  int version;
};

constexpr Introduced table[] = {
    {"ncclSend", 2700},
    {"ncclRecv", 2700},
    {"ncclRedOpCreatePreMulSum", 21100},
    {"ncclRedOpDestroy", 21100},
    {"ncclGetLastError", 21304},
    {"ncclCommInitRankConfig", 21403},
    {"ncclCommFinalize", 21403},
    {"ncclCommSplit", 21801},
    {"ncclMemAlloc", 21903},
    {"ncclMemFree", 21903},
    {"ncclCommRegister", 21903},
    {"ncclCommDeregister", 21903},
    {"ncclGroupSimulateEnd", 22203},
    {"ncclCommInitRankScalable", 22304},
    {"ncclCommWindowRegister", 22703},
    {"ncclCommWindowDeregister", 22703},
    {"ncclCommShrink", 22703},
    {"ncclAlltoAll", 22803},
    {"ncclGather", 22803},
    {"ncclScatter", 22803},
    {"ncclCommRevoke", 22807},
};

[[gnu::constructor]] void hide_missing() {
  hide_symbols([](std::string_view name) {
    return introduced_in(name) > nccl_version() ||
           Script::get().find("missing", name, process_rank()) != nullptr;
  });
}

}  // namespace

int nccl_version() {
  for (const auto& statement : Script::get().statements()) {
    if (statement->verb == "version") return std::atoi(statement->target.c_str());
  }
  return TUTTI_FAKE_NCCL_VERSION;
}

int introduced_in(std::string_view function) {
  for (const Introduced& entry : table) {
    if (entry.function == function) return entry.version;
  }
  return 0;
}

}  // namespace fake
