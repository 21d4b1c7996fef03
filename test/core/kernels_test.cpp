// Every reduction of every type with every instruction set of this machine, bit for bit against one
// element at a time: lengths around those of vectors, any alignment, outs that are inputs,
// prefixes; NaNs, infinities, zeros, denormals and what overflows.
#include "core/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/arithmetic.hpp"
#include "core/fold.hpp"
#include "core/small_float_lanes.hpp"
#include "core/visit_reduction.hpp"

namespace tutti::test {
namespace {

using Kind = ReduceOp::Kind;

constexpr std::size_t longest = 640;  // two blocks that are streamed and a rest
constexpr unsigned char guard = 0xa5;

template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;

// Sign, exponent and mantissa chosen apart, so that zeros, denormals, infinities and NaNs are
// frequent, and numbers meet whose sums and products round, cancel and overflow.
std::uint64_t real_bits(std::mt19937_64& random, int exponent_bits, int mantissa_bits) {
  const std::uint64_t top = (std::uint64_t{1} << exponent_bits) - 1, bias = top / 2;
  const std::uint64_t some = random();
  const std::uint64_t exponents[] = {0, top, 1, top - 1, bias, bias + 1, bias - 1, some & top};
  const std::uint64_t all = (std::uint64_t{1} << mantissa_bits) - 1;
  const std::uint64_t mantissas[] = {0, 1, all, all / 2 + 1, random() & all, random() & all};
  return ((random() & 1) << (exponent_bits + mantissa_bits)) |
         (exponents[random() % 8] << mantissa_bits) | mantissas[random() % 6];
}

template <class T>
Stored<T> random_element(std::mt19937_64& random) {
  if constexpr (is_complex_v<T>) {
    using Part = typename T::value_type;
    return {random_element<Part>(random), random_element<Part>(random)};
  } else if constexpr (std::is_same_v<T, float>) {
    return __builtin_bit_cast(T, static_cast<std::uint32_t>(real_bits(random, 8, 23)));
  } else if constexpr (std::is_same_v<T, double>) {
    return __builtin_bit_cast(T, real_bits(random, 11, 52));
  } else if constexpr (is_small_float_v<T>) {
    using Format = SmallFloatFormat<T>;
    return T::from_bits(static_cast<typename Format::Storage>(
        real_bits(random, Format::exponent_bits, Format::mantissa_bits)));
  } else if constexpr (std::is_same_v<T, bool>) {
    return static_cast<unsigned char>(random() % 2 == 0 ? random() % 2 : random());
  } else {
    const T some[] = {T{0}, T{1}, static_cast<T>(-1), std::numeric_limits<T>::min(),
                      std::numeric_limits<T>::max()};
    return random() % 4 == 0 ? some[random() % 5] : static_cast<T>(random());
  }
}

// Arrays of one type, and what their reduction is.
template <Kind kind, class T>
class Cell {
 public:
  explicit Cell(std::size_t n) : op_(scaled()) {
    std::mt19937_64 random(n * 100 + static_cast<std::size_t>(kind));
    for (std::size_t k = 0; k < n; ++k) {
      data_.emplace_back(longest);
      for (S& value : data_.back()) value = random_element<T>(random);
    }
    for (std::size_t k = 0; k < n; ++k) {
      expected_.emplace_back(longest);
      for (std::size_t i = 0; i < longest; ++i) expected_[k][i] = reduced(k, i);
    }
  }

  /// The last out is array `alias`, or memory of its own; with `prefixes` all others are wanted
  /// too.
  void check(const KernelTable& table, std::size_t count, std::size_t shift, std::size_t alias,
             bool prefixes, Stores stores = Stores::cached) const {
    const std::size_t n = data_.size();
    std::vector<std::vector<unsigned char>> arrays, rooms;
    std::vector<const void*> in;
    std::vector<void*> outs(n, nullptr);
    for (std::size_t k = 0; k < n; ++k) {
      // Each array at another distance from an aligned address, whole elements apart.
      const std::size_t before = (shift * (k + 1) % 16) * sizeof(S);
      arrays.emplace_back(before + count * sizeof(S) + 64, guard);
      std::memcpy(arrays[k].data() + before, data_[k].data(), count * sizeof(S));
      in.push_back(arrays[k].data() + before);
      rooms.emplace_back(shift * sizeof(S) + count * sizeof(S) + 64, guard);
      if (prefixes || k + 1 == n) outs[k] = rooms[k].data() + shift * sizeof(S);
    }
    if (alias < n) outs[n - 1] = const_cast<void*>(in[alias]);
    fold(table, op_, data_type_v<T>, in.data(), outs.data(), n, count, stores);
    for (std::size_t k = 0; k < n; ++k)
      if (outs[k] != nullptr) expect(k, outs[k], count);
  }

 private:
  using S = Stored<T>;
  using A = Accumulator<kind, T>;

  static ReduceOp scaled() {
    if constexpr (kind != Kind::pre_multiplied)
      return ReduceOp(kind);
    else if constexpr (std::is_integral_v<T>)
      return pre_multiplied(3);
    else
      return pre_multiplied(-0.5);
  }

  static A prepared(S value) {
    A result;
    if constexpr (std::is_same_v<T, bool>)
      result = value != 0;
    else
      result = static_cast<A>(value);
    if constexpr (kind == Kind::pre_multiplied)
      result = multiply(std::is_integral_v<T> ? static_cast<A>(3) : static_cast<A>(-0.5F), result);
    if constexpr (is_small_float_v<T>) result = with_one_nan(result);
    return result;
  }

  S reduced(std::size_t last, std::size_t i) const {
    A value = prepared(data_[0][i]);
    for (std::size_t k = 1; k <= last; ++k) value = combine<kind>(value, prepared(data_[k][i]));
    if constexpr (kind == Kind::avg) value = divide(value, data_.size());
    if constexpr (kind == Kind::logical_and || kind == Kind::logical_or ||
                  kind == Kind::logical_xor)
      return static_cast<S>(value != A{});
    else
      return static_cast<S>(value);
  }

  void expect(std::size_t k, const void* found, std::size_t count) const {
    const auto* const bytes = static_cast<const unsigned char*>(found);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(std::memcmp(bytes + i * sizeof(S), &expected_[k][i], sizeof(S)), 0)
          << "element " << i << " of " << count << ", out " << k << " of " << data_.size();
    for (std::size_t i = 0; i < 64; ++i)
      ASSERT_EQ(bytes[count * sizeof(S) + i], guard) << "byte " << i << " behind the end";
  }

  ReduceOp op_;
  std::vector<std::vector<S>> data_, expected_;
};

template <Kind kind, class T>
void check_cell(const KernelTable& table) {
  for (const std::size_t n : {1U, 2U, 3U, 5U}) {
    const Cell<kind, T> cell(n);
    for (std::size_t count = 0; count <= longest; ++count) {
      if (count > 70 && count % 37 != 0) continue;
      const std::size_t shift = count % 5;
      cell.check(table, count, shift, n, false);
      cell.check(table, count, shift + 1, count % n, false);
      cell.check(table, count, shift, count % 2 == 0 ? n : 0, false, Stores::streamed);
      if (kind != Kind::avg) cell.check(table, count, shift, n, true);  // which has no scan
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

class Kernels : public ::testing::TestWithParam<Isa> {};

TEST_P(Kernels, GiveTheSameBitsAsOneElementAtATime) {
  const KernelTable* const table = kernel_table(GetParam());
  if (table == nullptr) GTEST_SKIP() << "not on this processor";
  for (const Kind kind : all_reduce_kinds) {
    for (const DataType type : all_data_types) {
      SCOPED_TRACE(std::string(to_string(kind)) + " of " + std::string(to_string(type)));
      visit_reduction(kind, type, [&]<Kind k, class T>() { check_cell<k, T>(*table); });
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Kernels, ::testing::ValuesIn(all_isas),
                         [](const auto& isa) { return std::string(to_string(isa.param)); });

template <class T>
class SmallFloatLanes : public ::testing::Test {};
using SmallFloats = ::testing::Types<float16, bfloat16, float8_e4m3, float8_e5m2>;
TYPED_TEST_SUITE(SmallFloatLanes, SmallFloats);

TYPED_TEST(SmallFloatLanes, WidenEveryNumber) {
  using Storage = typename SmallFloatFormat<TypeParam>::Storage;
  for (std::uint32_t bits = 0; bits <= Storage(-1); ++bits) {
    const float expected = TypeParam::from_bits(static_cast<Storage>(bits));
    const auto found = __builtin_bit_cast(float, widened<TypeParam>(bits));
    if (expected != expected)
      ASSERT_NE(found, found) << bits;
    else
      ASSERT_EQ(__builtin_bit_cast(std::uint32_t, found),
                __builtin_bit_cast(std::uint32_t, expected))
          << bits;
  }
}

TYPED_TEST(SmallFloatLanes, NarrowToTheNearest) {
  // Every sign and exponent with the upper mantissa bits of every kind, and what lies around ties.
  for (std::uint32_t upper = 0; upper < 0x100000; ++upper) {
    for (const std::uint32_t lower : {0x000U, 0x001U, 0x7ffU, 0x800U, 0x801U, 0xfffU}) {
      const std::uint32_t bits = upper << 12 | lower;
      const float value = with_one_nan(__builtin_bit_cast(float, bits));
      ASSERT_EQ(narrowed<TypeParam>(__builtin_bit_cast(std::uint32_t, value)),
                TypeParam(value).bits())
          << bits;
    }
  }
}

}  // namespace
}  // namespace tutti::test
