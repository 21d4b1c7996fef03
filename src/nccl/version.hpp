#pragma once

#include <string>

#include "tutti/nccl.hpp"

namespace tutti::nccl {

/// 2708 is 2.7.8: NCCL coded its versions so until 2.8. 20906 is 2.9.6, 22304 is 2.23.4.
constexpr Version decode_version(int code) noexcept {
  if (code < 10000) return {code / 1000, code / 100 % 10, code % 100};
  return {code / 10000, code / 100 % 100, code % 100};
}

/// "2.23.4"
std::string version_text(int code);

}  // namespace tutti::nccl
