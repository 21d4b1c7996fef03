#pragma once

#include <string_view>

namespace tutti {

/// What the reductions on host memory are compiled for. Each gives the same bits.
enum class Isa {
  portable,  ///< what every processor of the architecture has: SSE2 on x86-64
  avx2,      ///< with F16C
  avx512,    ///< F, BW, DQ and VL
};

inline constexpr Isa all_isas[] = {Isa::portable, Isa::avx2, Isa::avx512};

/// "portable", "avx2", "avx512": what TUTTI_ISA takes.
constexpr std::string_view to_string(Isa isa) noexcept {
  switch (isa) {
    case Isa::portable:
      return "portable";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
  }
  __builtin_unreachable();
}

}  // namespace tutti
