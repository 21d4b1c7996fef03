#include <cpuid.h>
#include <immintrin.h>

#include "core/half_converter.hpp"
#include "core/kernel_table.hpp"
#include "core/kernels_x86.hpp"

namespace tutti {

namespace {

#define TUTTI_AVX2 [[gnu::target("avx2,f16c")]]

// Compilers do not use F16C on their own. Its rounding does not depend on the rounding mode.
struct Avx2Instructions {
  TUTTI_AVX2 static void widen(const float16* from, float* to) noexcept {
    for (std::size_t i = 0; i < small_float_block; i += 8)
      _mm256_storeu_ps(
          to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  }
  TUTTI_AVX2 static void narrow(const float* from, float16* to) noexcept {
    for (std::size_t i = 0; i < small_float_block; i += 8)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  }
  TUTTI_AVX2 static void truncate(const float* from, std::uint16_t* to) noexcept {
    for (std::size_t i = 0; i < small_float_block; i += 8) {
      const __m256 value = _mm256_loadu_ps(from + i);
      const __m128i half = _mm256_cvtps_ph(value, _MM_FROUND_TO_ZERO);
      const __m256i changed =
          _mm256_castps_si256(_mm256_cmp_ps(value, _mm256_cvtph_ps(half), _CMP_NEQ_UQ));
      const __m128i narrow_changed =
          _mm_packs_epi32(_mm256_castsi256_si128(changed), _mm256_extracti128_si256(changed, 1));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm_or_si128(half, _mm_srli_epi16(narrow_changed, 15)));
    }
  }
};
using Avx2Converter = HalfConverter<Avx2Instructions>;

struct Avx2 {
  template <class Loop>
  TUTTI_AVX2 static void run(const void* left, const void* right, void* out, std::size_t count,
                             const KernelContext& context) {
    Loop::template run<Avx2Converter>(left, right, out, count, context);
  }
  template <class Loop>
  static constexpr Kernel kernel() noexcept {
    return run<Loop>;
  }
};

bool has_avx2() noexcept {
  __builtin_cpu_init();
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) != 0 &&
         (c & bit_F16C) != 0;
}

}  // namespace

// Asked once: a virtual machine takes microseconds to say what its processor has.
const KernelTable* avx2_kernel_table() noexcept {
  static const bool there = has_avx2();
  if (!there) return nullptr;
  static const KernelTable table = make_kernel_table<Avx2>();
  return &table;
}

}  // namespace tutti
