#include <ifaddrs.h>
#include <sys/statvfs.h>

#include <set>
#include <string_view>

#include "core/text.hpp"
#include "nccl/functions.hpp"
#include "tutti/error.hpp"

namespace tutti::nccl {

namespace {

// Containers give /dev/shm 64 MB; NCCL needs more and says no more than "system error".
std::string shared_memory_hint() {
  struct statvfs facts {};
  if (statvfs("/dev/shm", &facts) != 0) return "; /dev/shm cannot be looked at";
  return text("; /dev/shm has ", facts.f_bavail * facts.f_frsize,
              " bytes free, NCCL keeps its buffers there");
}

}  // namespace

std::string interface_names() {
  std::set<std::string> names;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) == 0)
    for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next)
      if (at->ifa_addr != nullptr) names.insert(at->ifa_name);
  if (first != nullptr) freeifaddrs(first);
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string words_of(ncclResult_t result, ncclComm_t comm) {
  if (result == ncclSuccess) return {};
  const Functions& f = functions();
  std::string words = text(f.ncclGetErrorString(result), " (code ", static_cast<int>(result), ")");
  const char* const last = f.ncclGetLastError(comm);
  if (last != nullptr && *last != '\0') words += text("; NCCL's last error: ", last);
  if (result == ncclSystemError) words += shared_memory_hint();
  return words;
}

void check(ncclResult_t result, const char* call, ncclComm_t comm) {
  if (result == ncclSuccess) [[likely]]
    return;
  const std::string_view whole(call);
  throw Error(Errc::nccl,
              text(whole.substr(0, whole.find('(')), " failed: ", words_of(result, comm)));
}

}  // namespace tutti::nccl
