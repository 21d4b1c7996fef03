// The reduction that every host path ends in, against the serial reference: every cell of the
// table, around the length of a strip (512), prefixes, and outs that are inputs as well.
#include "core/fold.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "support/reference.hpp"
#include "support/typed.hpp"

namespace tutti::test {
namespace {

using Kind = ReduceOp::Kind;

constexpr std::size_t guard_bytes = 32;
constexpr std::byte guard{0xa5};

Bytes guarded(const Bytes& elements) {
  Bytes result = elements;
  result.resize(elements.size() + guard_bytes, guard);
  return result;
}

// Element by element, and nothing behind the last one.
void expect_elements(DataType type, const Bytes& found, const Bytes& expected) {
  const std::size_t size = element_size(type);
  ASSERT_EQ(found.size(), expected.size() + guard_bytes);
  for (std::size_t i = 0; i < expected.size() / size; ++i)
    ASSERT_TRUE(equal_elements(type, &found[i * size], &expected[i * size])) << "element " << i;
  for (std::size_t i = expected.size(); i < found.size(); ++i)
    ASSERT_EQ(found[i], guard) << "byte " << i - expected.size() << " behind the end";
}

// Arrays of one fold; an out is its own memory unless `alias` makes it an input's.
class Fold {
 public:
  Fold(DataType type, Kind kind, std::size_t n, std::size_t count)
      : type_(type), kind_(kind), count_(count) {
    for (std::size_t r = 0; r < n; ++r) {
      inputs_.push_back(pattern(type, kind, static_cast<int>(r), count));
      arrays_.push_back(guarded(inputs_.back()));
      rooms_.push_back(guarded(Bytes(inputs_.back().size())));
    }
    for (Bytes& array : arrays_) in_.push_back(array.data());
    out_.resize(n, nullptr);
  }

  void want(std::size_t k) { out_[k] = rooms_[k].data(); }
  void alias(std::size_t k, std::size_t array) {
    out_[k] = arrays_[array].data();
    aliased_.emplace_back(k, array);
  }
  void run() { fold(reduce_op(kind_, type_), type_, in_.data(), out_.data(), in_.size(), count_); }

  void expect_reduced(std::size_t k) const {
    SCOPED_TRACE("out " + std::to_string(k));
    const Bytes* found = &rooms_[k];
    for (const auto& [out, array] : aliased_)
      if (out == k) found = &arrays_[array];
    const auto last = inputs_.begin() + static_cast<std::ptrdiff_t>(k) + 1;
    expect_elements(type_, *found, reduced(type_, kind_, {inputs_.begin(), last}));
  }
  void expect_input_kept(std::size_t array) const {
    SCOPED_TRACE("array " + std::to_string(array));
    expect_elements(type_, arrays_[array], inputs_[array]);
  }

 private:
  DataType type_;
  Kind kind_;
  std::size_t count_;
  std::vector<Bytes> inputs_, arrays_, rooms_;
  std::vector<const void*> in_;
  std::vector<void*> out_;
  std::vector<std::pair<std::size_t, std::size_t>> aliased_;
};

void for_each_cell(const std::function<void(DataType, Kind)>& call) {
  for (const DataType type : all_data_types) {
    for (const Kind kind : all_reduce_kinds) {
      if (kind == Kind::user || !defined(kind, type)) continue;
      SCOPED_TRACE(std::string(to_string(kind)) + " of " + std::string(to_string(type)));
      call(type, kind);
    }
  }
}

TEST(Fold, EveryCellOfTheTable) {
  for_each_cell([](DataType type, Kind kind) {
    for (const std::size_t n : {1U, 2U, 3U, 8U}) {
      for (const std::size_t count : {0U, 1U, 511U, 512U, 513U, 1537U}) {
        SCOPED_TRACE(std::to_string(n) + " arrays of " + std::to_string(count));
        Fold fold(type, kind, n, count);
        fold.want(n - 1);
        fold.run();
        fold.expect_reduced(n - 1);
        for (std::size_t k = 0; k < n; ++k) fold.expect_input_kept(k);
      }
    }
  });
}

TEST(Fold, StoresThePrefixesThatAreAskedFor) {
  for_each_cell([](DataType type, Kind kind) {
    if (kind == Kind::avg) return;  // has no scan
    Fold fold(type, kind, 5, 1031);
    for (const std::size_t k : {0U, 1U, 3U, 4U}) fold.want(k);
    fold.run();
    for (const std::size_t k : {0U, 1U, 3U, 4U}) fold.expect_reduced(k);
  });
}

TEST(Fold, AnOutMayBeItsOwnArrayOrAnEarlierOne) {
  for_each_cell([](DataType type, Kind kind) {
    Fold first(type, kind, 4, 1031);
    first.alias(3, 0);
    first.run();
    first.expect_reduced(3);
    first.expect_input_kept(1);

    Fold own(type, kind, 4, 1031);
    own.alias(3, 3);
    own.run();
    own.expect_reduced(3);

    if (kind == Kind::avg) return;
    Fold shifted(type, kind, 4, 1031);  // as prefixes of an exclusive scan in place
    for (const std::size_t k : {1U, 2U, 3U}) shifted.alias(k, k - 1);
    shifted.run();
    for (const std::size_t k : {1U, 2U, 3U}) shifted.expect_reduced(k);
    shifted.expect_input_kept(3);
  });
}

// `left` counts three times in every step, so that order and grouping show.
const UserReduction<int> ordered([](int left, int right) { return 3 * left + right; });

TEST(Fold, AUserFunctionIsAppliedFromLeftToRight) {
  constexpr std::size_t count = 1031;
  std::vector<std::vector<int>> arrays(4, std::vector<int>(count));
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t i = 0; i < count; ++i) arrays[r][i] = static_cast<int>(r + 10 * i);
  std::vector<int> second(count), last(count);
  const void* in[] = {arrays[0].data(), arrays[1].data(), arrays[2].data(), arrays[3].data()};
  void* out[] = {nullptr, second.data(), nullptr, last.data()};
  fold(ordered, DataType::int32, in, out, 4, count);
  for (std::size_t i = 0; i < count; ++i) {
    const int x = static_cast<int>(10 * i);
    ASSERT_EQ(second[i], 3 * x + (x + 1));
    ASSERT_EQ(last[i], 27 * x + 9 * (x + 1) + 3 * (x + 2) + (x + 3));
    ASSERT_EQ(arrays[2][i], x + 2) << "inputs are only read";
  }
  out[1] = nullptr;
  out[3] = arrays[3].data();
  fold(ordered, DataType::int32, in, out, 4, count);
  EXPECT_EQ(arrays[3], last);
}

TEST(Fold, AUserFunctionIsNotCalledForOneArray) {
  const UserReduction<int> never([](int, int) -> int {
    ADD_FAILURE() << "called";
    return 0;
  });
  const std::vector<int> in{4, 5};
  std::vector<int> out(2);
  const void* const arrays[] = {in.data()};
  void* const outs[] = {out.data()};
  fold(never, DataType::int32, arrays, outs, 1, 2);
  EXPECT_EQ(out, in);
}

template <class T>
std::vector<T> folded(const ReduceOp& op, const std::vector<std::vector<T>>& arrays) {
  std::vector<const void*> in;
  for (const auto& array : arrays) in.push_back(array.data());
  std::vector<T> result(arrays[0].size());
  std::vector<void*> out(arrays.size(), nullptr);
  out.back() = result.data();
  fold(op, data_type_v<T>, in.data(), out.data(), in.size(), result.size());
  return result;
}

TEST(Fold, MeansOfIntegersAreExactAndTruncated) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto all = std::numeric_limits<std::uint64_t>::max();
  using Signed = std::vector<std::int64_t>;
  EXPECT_EQ(folded<std::int64_t>(avg, {Signed{most, least, -3}, Signed{most, least, -4}}),
            (Signed{most, least, -3}));
  using Unsigned = std::vector<std::uint64_t>;
  EXPECT_EQ(folded<std::uint64_t>(avg, {Unsigned{all}, Unsigned{all}, Unsigned{all - 3}}),
            Unsigned{all - 1});
  using Small = std::vector<std::int8_t>;
  EXPECT_EQ(folded<std::int8_t>(avg, {Small{127, -128}, Small{127, -128}, Small{126, 127}}),
            (Small{126, -43}));
}

TEST(Fold, SmallFloatsRoundOnceAtTheEnd) {
  // 2048 + 1 is not a float16, 2048 + 1 + 1 is; 448 is the largest float8_e4m3, 65504 float16.
  using Half = std::vector<float16>;
  EXPECT_EQ(float(folded<float16>(sum, {Half{2048.F}, Half{1.F}, Half{1.F}})[0]), 2050.F);
  EXPECT_EQ(float(folded<float16>(sum, {Half{65504.F}, Half{65504.F}, Half{-65504.F}})[0]),
            65504.F);
  EXPECT_EQ(float(folded<float16>(avg, {Half{65504.F}, Half{65504.F}})[0]), 65504.F);
  using Eighth = std::vector<float8_e4m3>;
  EXPECT_EQ(float(folded<float8_e4m3>(sum, {Eighth{448.F}, Eighth{448.F}})[0]), 448.F);
  EXPECT_EQ(float(folded<float8_e4m3>(prod, {Eighth{-448.F}, Eighth{448.F}})[0]), -448.F);
  using Range = std::vector<float8_e5m2>;
  EXPECT_EQ(float(folded<float8_e5m2>(sum, {Range{57344.F}, Range{57344.F}})[0]), 57344.F);
}

TEST(Fold, ABoolOfAnyBitsIsTrueAndIsStoredAsOne) {
  const std::vector<unsigned char> raw{0, 1, 2, 255}, zeros(4);
  std::vector<unsigned char> out(4, 9);
  const void* const in[] = {zeros.data(), raw.data()};
  void* const outs[] = {nullptr, out.data()};
  fold(sum, DataType::boolean, in, outs, 2, 4);
  EXPECT_EQ(out, (std::vector<unsigned char>{0, 1, 1, 1}));
  const void* const alone[] = {raw.data()};
  void* const one[] = {out.data()};
  fold(min, DataType::boolean, alone, one, 1, 4);
  EXPECT_EQ(out, (std::vector<unsigned char>{0, 1, 1, 1}));
}

// Two arrays in a function of MPI's form.
TEST(CombineFunction, AgreesWithTheReference) {
  for_each_cell([](DataType type, Kind kind) {
    const CombineFunction combine = combine_function(kind, type);
    if (combine == nullptr) return;
    const Bytes left = pattern(type, kind, 0, 1031), right = pattern(type, kind, 1, 1031);
    Bytes in = guarded(left), both = guarded(right);
    combine(in.data(), both.data(), 1031);
    // Its last step, the division, is a function of its own.
    expect_elements(type, both, reduced(type, kind == Kind::avg ? Kind::sum : kind, {left, right}));
    expect_elements(type, in, left);
  });
}

TEST(CombineFunction, IsMissingWherePartialResultsNeedMoreThanTheType) {
  for (const DataType type : all_data_types) {
    for (const Kind kind : all_reduce_kinds) {
      const bool small = is_real(type) && element_size(type) < 4;
      const bool wide = (kind == Kind::avg && is_integer(type)) || small;
      const bool stateful = kind == Kind::user || kind == Kind::pre_multiplied;
      const bool expected = defined(kind, type) && !wide && !stateful;
      EXPECT_EQ(combine_function(kind, type) != nullptr, expected)
          << to_string(kind) << " of " << to_string(type);
    }
  }
}

TEST(DivideBy, DividesFloatsAndLeavesOneNan) {
  std::vector<double> reals{6, -3, std::numeric_limits<double>::infinity()};
  divide_by(4, DataType::float64, reals.data(), reals.size());
  EXPECT_EQ(reals, (std::vector<double>{1.5, -0.75, std::numeric_limits<double>::infinity()}));
  std::vector<std::complex<float>> pairs{{6, -3}};
  divide_by(4, DataType::complex64, pairs.data(), 1);
  EXPECT_EQ(pairs[0], std::complex<float>(1.5F, -0.75F));
}

}  // namespace
}  // namespace tutti::test
