#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "core/arithmetic.hpp"
#include "core/independent_iterations.hpp"
#include "core/kernels.hpp"
#include "core/small_float_lanes.hpp"

// The loops behind `Kernels`. They are plain C++ for the compiler's vectoriser: a function with a
// target attribute for each instruction set inlines them (kernels_avx2.cpp, kernels_avx512.cpp),
// which needs no object file with flags of its own, whose copies of inline functions the linker
// could choose for everybody. Measured against a loop of AVX-512 intrinsics that is as fast as can
// be: float32 sum 65 of 65 GB/s in the cache, 11.7 of 11.6 in memory. A SIMD library would have the
// same loops written once more, in types of its own.

namespace tutti {

// Vectors have conversions between double and 32-bit integers, none to narrower ones.
template <class To, class From>
[[gnu::always_inline]] inline To converted(From value) noexcept {
  if constexpr (std::is_same_v<To, double> && std::is_integral_v<From> && sizeof(From) < 4)
    return static_cast<double>(static_cast<std::int32_t>(value));
  else if constexpr (std::is_same_v<From, double> && std::is_integral_v<To> && sizeof(To) < 4)
    return static_cast<To>(static_cast<std::int32_t>(value));
  else
    return static_cast<To>(value);
}

/// The scalar of pre_multiplied.
template <ReduceOp::Kind kind, class T>
[[gnu::always_inline]] inline Accumulator<kind, T> scalar_of(
    [[maybe_unused]] const KernelContext& context) noexcept {
  if constexpr (kind == ReduceOp::Kind::pre_multiplied)
    return static_cast<Accumulator<kind, T>>(*static_cast<const T*>(context.scalar));
  else
    return {};
}

/// out = left o right. The left side and the result are data or partial results.
template <ReduceOp::Kind reduction, class T, bool left_is_partial, bool out_is_partial>
struct CombineLoop {
  static constexpr ReduceOp::Kind kind = reduction;
  using Data = T;
  using Partial = Accumulator<kind, T>;
  using Left = std::conditional_t<left_is_partial, Partial, T>;
  using Out = std::conditional_t<out_is_partial, Partial, T>;

  [[gnu::always_inline]] static Partial combined(Partial left, Partial right,
                                                 [[maybe_unused]] Partial scalar,
                                                 [[maybe_unused]] std::size_t n) noexcept {
    if constexpr (kind == ReduceOp::Kind::pre_multiplied) {
      right = multiply(scalar, right);
      if constexpr (!left_is_partial) left = multiply(scalar, left);
    }
    const Partial value = combine<kind, Partial>(left, right);
    if constexpr (kind == ReduceOp::Kind::avg && !out_is_partial)
      return divide(value, n);
    else
      return value;
  }

  template <class Converter>
  [[gnu::always_inline]] static void run(const void* left, const void* right, void* out,
                                         std::size_t count, const KernelContext& context) noexcept {
    const auto* const l = static_cast<const Left*>(left);
    const auto* const r = static_cast<const T*>(right);
    auto* const o = static_cast<Out*>(out);
    const Partial scalar = scalar_of<kind, T>(context);
    const std::size_t n = context.n;
    if constexpr (is_small_float_v<T>) {
      std::size_t i = 0;
      for (; i + small_float_block <= count; i += small_float_block)
        run_block<Converter>(l + i, r + i, o + i, scalar, n);
      if (i != count) run_short_block<Converter>(l + i, r + i, o + i, count - i, scalar, n);
    } else {
      TUTTI_INDEPENDENT_ITERATIONS
      for (std::size_t i = 0; i < count; ++i)
        o[i] =
            converted<Out>(combined(converted<Partial>(l[i]), converted<Partial>(r[i]), scalar, n));
    }
  }

 private:
  template <class Converter>
  [[gnu::always_inline]] static void run_block(const Left* left, const T* right, Out* out,
                                               Partial scalar, std::size_t n) noexcept {
    if constexpr (std::is_same_v<T, bfloat16>) return run_words(left, right, out, scalar, n);
    float lefts[small_float_block], rights[small_float_block], results[small_float_block];
    const float* l = lefts;
    float* o = results;
    // Partial results are used where they are.
    if constexpr (left_is_partial)
      l = left;
    else
      Converter::widen(left, lefts);
    if constexpr (out_is_partial) o = out;
    Converter::widen(right, rights);
    TUTTI_INDEPENDENT_ITERATIONS
    for (std::size_t i = 0; i < small_float_block; ++i) o[i] = combined(l[i], rights[i], scalar, n);
    if constexpr (!out_is_partial) Converter::narrow(results, out);
  }

  // All in one loop: a word and the floats that are in it have one width.
  [[gnu::always_inline]] static void run_words(const Left* left, const T* right, Out* out,
                                               Partial scalar, std::size_t n) noexcept {
    TUTTI_INDEPENDENT_ITERATIONS
    for (std::size_t i = 0; i < block_words; ++i) {
      float lower, upper;
      if constexpr (left_is_partial) {
        lower = left[i];
        upper = left[block_words + i];
      } else {
        lower = lower_of(word_at(left, i));
        upper = upper_of(word_at(left, i));
      }
      lower = combined(lower, lower_of(word_at(right, i)), scalar, n);
      upper = combined(upper, upper_of(word_at(right, i)), scalar, n);
      if constexpr (out_is_partial) {
        out[i] = lower;
        out[block_words + i] = upper;
      } else {
        store_word(lower, upper, out, i);
      }
    }
  }

  // Partial results are whole blocks already.
  template <class Converter>
  [[gnu::always_inline]] static void run_short_block(const Left* left, const T* right, Out* out,
                                                     std::size_t count, Partial scalar,
                                                     std::size_t n) noexcept {
    Left lefts[small_float_block] = {};
    T rights[small_float_block] = {};
    Out results[small_float_block];
    std::copy_n(left, left_is_partial ? small_float_block : count, lefts);
    std::copy_n(right, count, rights);
    run_block<Converter>(lefts, rights, results, scalar, n);
    std::copy_n(results, out_is_partial ? small_float_block : count, out);
  }
};

template <ReduceOp::Kind kind, class T>
struct WidenLoop {
  using Partial = Accumulator<kind, T>;

  [[gnu::always_inline]] static Partial prepared(Partial value,
                                                 [[maybe_unused]] Partial scalar) noexcept {
    if constexpr (kind == ReduceOp::Kind::pre_multiplied)
      return multiply(scalar, value);
    else if constexpr (is_small_float_v<T>)
      return with_one_nan(value);
    else
      return value;
  }

  template <class Converter>
  [[gnu::always_inline]] static void run(const void* in, const void*, void* out, std::size_t count,
                                         const KernelContext& context) noexcept {
    const auto* const from = static_cast<const T*>(in);
    auto* const to = static_cast<Partial*>(out);
    const Partial scalar = scalar_of<kind, T>(context);
    if constexpr (is_small_float_v<T>) {
      for_each_block(from, to, count, [&](const T* data, float* partial) {
        Converter::widen(data, partial);
        for (std::size_t i = 0; i < small_float_block; ++i)
          partial[i] = prepared(partial[i], scalar);
      });
    } else {
      TUTTI_INDEPENDENT_ITERATIONS
      for (std::size_t i = 0; i < count; ++i) to[i] = prepared(converted<Partial>(from[i]), scalar);
    }
  }
};

template <ReduceOp::Kind kind, class T>
struct StoreLoop {
  using Kind = ReduceOp::Kind;
  using Partial = Accumulator<kind, T>;

  [[gnu::always_inline]] static Partial finished(Partial value,
                                                 [[maybe_unused]] std::size_t n) noexcept {
    if constexpr (kind == Kind::logical_and || kind == Kind::logical_or ||
                  kind == Kind::logical_xor)
      return static_cast<Partial>(value != 0);
    else if constexpr (kind == Kind::avg)
      return divide(value, n);
    else
      return value;
  }

  template <class Converter>
  [[gnu::always_inline]] static void run(const void* in, const void*, void* out, std::size_t count,
                                         const KernelContext& context) noexcept {
    const auto* const from = static_cast<const Partial*>(in);
    auto* const to = static_cast<T*>(out);
    const std::size_t n = context.n;
    if constexpr (is_small_float_v<T>) {
      for_each_block(from, to, count, [&](const float* partial, T* data) {
        float results[small_float_block];
        for (std::size_t i = 0; i < small_float_block; ++i) results[i] = finished(partial[i], n);
        Converter::narrow(results, data);
      });
    } else {
      TUTTI_INDEPENDENT_ITERATIONS
      for (std::size_t i = 0; i < count; ++i) to[i] = converted<T>(finished(from[i], n));
    }
  }
};

#ifdef __SSE2__
inline constexpr bool has_streaming_stores = true;
[[gnu::always_inline]] inline void store_past_caches(const void* from, void* to) noexcept {
  for (std::size_t i = 0; i < stream_block / sizeof(__m128i); ++i)
    _mm_stream_si128(static_cast<__m128i*>(to) + i,
                     _mm_load_si128(static_cast<const __m128i*>(from) + i));
}
inline void finish_streaming() noexcept {
  _mm_sfence();
}
#else
inline constexpr bool has_streaming_stores = false;
inline void store_past_caches(const void*, void*) noexcept {}
inline void finish_streaming() noexcept {}
#endif

/// A loop whose result goes through registers, or a corner of the first-level cache, to memory.
template <class Loop>
struct StreamLoop {
  using Data = typename Loop::Data;

  template <class Converter>
  [[gnu::always_inline]] static void run(const void* left, const void* right, void* out,
                                         std::size_t count, const KernelContext& context) noexcept {
    constexpr std::size_t block = stream_block / sizeof(Data);
    const auto* const l = static_cast<const Data*>(left);
    const auto* const r = static_cast<const Data*>(right);
    auto* const o = static_cast<Data*>(out);
    for (std::size_t i = 0; i < count; i += block) {
      alignas(stream_alignment) Data result[block];
      Loop::template run<Converter>(l + i, r + i, result, block, context);
      store_past_caches(result, o + i);
    }
    finish_streaming();
  }
};

}  // namespace tutti
