#include <cpuid.h>
#include <immintrin.h>

#include "core/kernel_loops.hpp"
#include "core/kernels_x86.hpp"

namespace tutti {

namespace {

#define TUTTI_AVX2 [[gnu::target("avx2,f16c")]]

// Compilers do not use F16C on their own. It rounds to nearest even whatever the rounding mode.
struct Avx2Converter : LaneConverter {
  using LaneConverter::narrow;
  using LaneConverter::widen;

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
};

struct Avx2 {
  template <class Loop>
  TUTTI_AVX2 static void run(const void* left, const void* right, void* out, std::size_t count,
                             const KernelContext& context) {
    Loop::template run<Avx2Converter>(left, right, out, count, context);
  }
};

bool available() noexcept {
  __builtin_cpu_init();
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) != 0 &&
         (c & bit_F16C) != 0;
}

}  // namespace

const KernelTable* avx2_kernel_table() noexcept {
  if (!available()) return nullptr;
  static const KernelTable table = make_kernel_table<Avx2>();
  return &table;
}

}  // namespace tutti
