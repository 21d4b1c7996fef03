#include "core/streaming_copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tutti {

#ifdef __SSE2__
namespace {

constexpr std::size_t line = 64;

// SSE2 is as fast as AVX-512 here: four stores fill the line that is written as a whole.
void stream_lines(unsigned char* to, const unsigned char* from, std::size_t lines) noexcept {
  for (std::size_t i = 0; i < lines; ++i) {
    const auto* const in = reinterpret_cast<const __m128i*>(from + i * line);
    auto* const out = reinterpret_cast<__m128i*>(to + i * line);
    const __m128i a = _mm_loadu_si128(in);
    const __m128i b = _mm_loadu_si128(in + 1);
    const __m128i c = _mm_loadu_si128(in + 2);
    const __m128i d = _mm_loadu_si128(in + 3);
    _mm_stream_si128(out, a);
    _mm_stream_si128(out + 1, b);
    _mm_stream_si128(out + 2, c);
    _mm_stream_si128(out + 3, d);
  }
}

}  // namespace

void streaming_copy(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes == 0 || to == from) return;
  auto* out = static_cast<unsigned char*>(to);
  const auto* in = static_cast<const unsigned char*>(from);
  const std::size_t head = std::min(bytes, (0 - reinterpret_cast<std::uintptr_t>(out)) % line);
  std::memcpy(out, in, head);
  const std::size_t lines = (bytes - head) / line;
  stream_lines(out + head, in + head, lines);
  const std::size_t done = head + lines * line;
  std::memcpy(out + done, in + done, bytes - done);
  _mm_sfence();
}
#else
void streaming_copy(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes != 0 && to != from) std::memcpy(to, from, bytes);
}
#endif

}  // namespace tutti
