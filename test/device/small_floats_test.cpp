// Where NCCL reduces the small floats it rounds after each step: within so many units of the
// result.
#include <cmath>

#include "conformance/fixture.hpp"
#include "core/check.hpp"
#include "support/formats.hpp"
#include "support/typed.hpp"

namespace tutti::test {
namespace {

class SmallFloats : public Conformance {};
TUTTI_ON_EVERY_BACKEND(SmallFloats);

TEST_P(SmallFloats, SumAndMeanAreWithinARoundingForEachStep) {
  struct Format {
    DataType type;
    double unit;
  };
  for (const auto& [type, unit] : {Format{DataType::float16, std::ldexp(1, -10)},
                                   Format{DataType::bfloat16, std::ldexp(1, -7)},
                                   Format{DataType::float8_e4m3, std::ldexp(1, -3)},
                                   Format{DataType::float8_e5m2, std::ldexp(1, -2)}}) {
    for (const bool mean : {false, true}) {
      Area data = area_of(type, reals(type, {1.0 + rank() * 0.25, 3.0 - rank()}));
      const Operation operation = all_reduce(data.receive(), mean ? avg : sum);
      if (!backend().supports(resolve(operation, rank(), size())).yes) continue;
      run({operation});
      const Bytes bytes = data.read(0, 2);
      const double n = size();
      const double expected[] = {n + 0.25 * n * (n - 1) / 2, 3 * n - n * (n - 1) / 2};
      for (std::size_t i = 0; i < 2; ++i) {
        const double value = load_real(type, bytes.data() + i * element_size(type));
        const double exact = mean ? expected[i] / n : expected[i];
        EXPECT_NEAR(value, exact, unit * n * (mean ? 3 : 3 * n)) << static_cast<int>(type);
      }
    }
  }
}

}  // namespace
}  // namespace tutti::test
