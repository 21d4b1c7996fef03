#include <immintrin.h>

#include "core/half_converter.hpp"
#include "core/kernel_table.hpp"
#include "core/kernels_x86.hpp"

namespace tutti {

namespace {

#define TUTTI_AVX512 [[gnu::target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl")]]

// Compilers do not use F16C's like on their own. Its rounding does not depend on the rounding mode.
struct Avx512Instructions {
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
  TUTTI_AVX512 static void truncate(const float* from, std::uint16_t* to) noexcept {
    for (std::size_t i = 0; i < small_float_block; i += 16) {
      const __m512 value = _mm512_loadu_ps(from + i);
      const __m256i half = _mm512_maskz_cvtps_ph(every_lane, value, _MM_FROUND_TO_ZERO);
      const __mmask16 changed =
          _mm512_cmp_ps_mask(value, _mm512_maskz_cvtph_ps(every_lane, half), _CMP_NEQ_UQ);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i),
                          _mm256_or_si256(half, _mm256_maskz_set1_epi16(changed, 1)));
    }
  }
};
using Avx512Converter = HalfConverter<Avx512Instructions>;

struct Avx512 {
  template <class Loop>
  TUTTI_AVX512 static void run(const void* left, const void* right, void* out, std::size_t count,
                               const KernelContext& context) {
    Loop::template run<Avx512Converter>(left, right, out, count, context);
  }

  // GCC 12 fuses the products of complex numbers where it has the instruction, in spite of
  // -ffp-contract=off; which AVX-512 brings and AVX2 alone does not.
  template <class Loop>
  [[gnu::target("avx2")]] static void run_unfused(const void* left, const void* right, void* out,
                                                  std::size_t count, const KernelContext& context) {
    Loop::template run<LaneConverter>(left, right, out, count, context);
  }

  template <class Loop>
  static constexpr Kernel kernel() noexcept {
    if constexpr (is_complex_v<typename Loop::Data>)
      return run_unfused<Loop>;
    else
      return run<Loop>;
  }
};

bool has_avx512() noexcept {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

}  // namespace

// Asked once: a virtual machine takes microseconds to say what its processor has.
const KernelTable* avx512_kernel_table() noexcept {
  static const bool there = has_avx512();
  if (!there) return nullptr;
  static const KernelTable table = make_kernel_table<Avx512>();
  return &table;
}

}  // namespace tutti
