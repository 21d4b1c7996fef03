#include <immintrin.h>

#include "core/kernel_loops.hpp"
#include "core/kernels_x86.hpp"

namespace tutti {

namespace {

#define TUTTI_AVX512 [[gnu::target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl")]]

// Compilers do not use F16C on their own. It rounds to nearest even whatever the rounding mode.
struct Avx512Converter : LaneConverter {
  using LaneConverter::narrow;
  using LaneConverter::widen;
  // The forms without a mask set off a false warning in GCC 12 (its bug 105593).
  static constexpr __mmask16 every_lane = 0xffff;

  TUTTI_AVX512 static void widen(const float16* from, float* to) noexcept {
    for (std::size_t i = 0; i < small_float_block; i += 16)
      _mm512_storeu_ps(
          to + i, _mm512_maskz_cvtph_ps(
                      every_lane, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i))));
  }
  TUTTI_AVX512 static void narrow(const float* from, float16* to) noexcept {
    for (std::size_t i = 0; i < small_float_block; i += 16)
      _mm256_storeu_si256(
          reinterpret_cast<__m256i*>(to + i),
          _mm512_maskz_cvtps_ph(every_lane, _mm512_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  }
};

struct Avx512 {
  template <class Loop>
  TUTTI_AVX512 static void run(const void* left, const void* right, void* out, std::size_t count,
                               const KernelContext& context) {
    Loop::template run<Avx512Converter>(left, right, out, count, context);
  }
};

bool available() noexcept {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

}  // namespace

const KernelTable* avx512_kernel_table() noexcept {
  if (!available()) return nullptr;
  static const KernelTable table = make_kernel_table<Avx512>();
  return &table;
}

}  // namespace tutti
