#include "nccl/version.hpp"

#include "core/text.hpp"

namespace tutti::nccl {

std::string version_text(int code) {
  const Version version = decode_version(code);
  return text(version.major, '.', version.minor, '.', version.patch);
}

}  // namespace tutti::nccl
