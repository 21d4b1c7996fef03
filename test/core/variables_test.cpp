// TUTTI_* variables: each sets its option, nonsense is told with what would do.
#include "core/variables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/kernels.hpp"
#include "support/world.hpp"

namespace tutti::test {
namespace {

using namespace std::chrono_literals;

// Sets a variable for one scope.
class Set {
 public:
  Set(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Set() { unsetenv(name_); }
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;

 private:
  const char* name_;
};

Options with(const char* name, const char* value) {
  const Set set(name, value);
  return with_environment({});
}

TEST(Variables, SetTheirOptions) {
  EXPECT_EQ(with("TUTTI_CHECK", "global").check, Check::global);
  EXPECT_EQ(with("TUTTI_CHECK", "none").check, Check::none);
  EXPECT_EQ(with("TUTTI_NCCL", "never").nccl, NcclPolicy::never);
  EXPECT_EQ(with("TUTTI_NCCL", "required").nccl, NcclPolicy::required);
  EXPECT_EQ(with("TUTTI_NCCL_JOIN", "eager").join, NcclJoin::eager);
  EXPECT_EQ(with("TUTTI_FALLBACK", "forbid").fallback, Fallback::forbid);
  EXPECT_EQ(with("TUTTI_HOST_PATH", "mpi").host_path, HostPath::mpi);
  EXPECT_EQ(with("TUTTI_HOST_PATH", "node").host_path, HostPath::node);
  EXPECT_EQ(with("TUTTI_MAX_COUNT", "7").max_count, 7U);
  EXPECT_TRUE(with("TUTTI_DETERMINISTIC", "1").deterministic);
  EXPECT_FALSE(with("TUTTI_DETERMINISTIC", "0").deterministic);
}

TEST(Variables, WinOverTheProgram) {
  Options options;
  options.max_count = 99;
  options.check = Check::none;
  const Set set("TUTTI_MAX_COUNT", "5");
  EXPECT_EQ(with_environment(options).max_count, 5U);
  EXPECT_EQ(with_environment(options).check, Check::none) << "what is not set stays";
}

TEST(Variables, NonsenseIsToldWithWhatWouldDo) {
  const std::pair<const char*, const char*> wrong[] = {
      {"TUTTI_CHECK", "globl"},    {"TUTTI_MAX_COUNT", "0"},
      {"TUTTI_MAX_COUNT", "-3"},   {"TUTTI_MAX_COUNT", "7x"},
      {"TUTTI_MAX_COUNT", ""},     {"TUTTI_TIMEOUT", "soon"},
      {"TUTTI_TIMEOUT", "-1"},     {"TUTTI_DETERMINISTIC", "maybe"},
      {"TUTTI_HOST_PATH", "fast"}, {"TUTTI_NCCL", "yes please"},
      {"TUTTI_ISA", "sse9"},       {"TUTTI_MAX_COUNT", "99999999999999999999999"}};
  for (const auto& [name, value] : wrong) {
    // Copied: Clang before 16 captures no structured bindings.
    const Failure failure = failure_of([&, n = name, v = value] { with(n, v); });
    ASSERT_TRUE(failure.thrown) << name << "=" << value;
    EXPECT_EQ(failure.code, Errc::invalid_argument);
    EXPECT_NE(failure.text.find(name), std::string::npos) << failure.text;
    EXPECT_NE(failure.text.find(value), std::string::npos) << failure.text;
  }
  EXPECT_NE(failure_of([] { with("TUTTI_CHECK", "globl"); }).text.find("global"),
            std::string::npos);
}

TEST(Variables, AnInstructionSetIsTakenWhereTheProcessorHasIt) {
  EXPECT_EQ(isa_from_environment(), std::nullopt);
  for (const Isa isa : all_isas) {
    const std::string name(to_string(isa));
    const Set set("TUTTI_ISA", name.c_str());
    if (kernel_table(isa) != nullptr) {
      EXPECT_EQ(isa_from_environment(), isa);
      continue;
    }
    const Failure failure = failure_of([] { with_environment({}); });
    ASSERT_TRUE(failure.thrown) << name;
    EXPECT_EQ(failure.code, Errc::invalid_argument);
    EXPECT_NE(failure.text.find("portable"), std::string::npos) << failure.text;
  }
}

TEST(Variables, UnknownNamesAreFound) {
  const Set set("TUTTI_TIMEOUTT", "5");
  const auto unknown = unknown_variables();
  EXPECT_NE(std::find(unknown.begin(), unknown.end(), "TUTTI_TIMEOUTT"), unknown.end());
  EXPECT_EQ(std::find(unknown.begin(), unknown.end(), "TUTTI_CHECK"), unknown.end());
}

TEST(Variables, EveryOneIsListedOnce) {
  std::vector<std::string> names;
  for (const Variable& variable : known_variables()) {
    names.emplace_back(variable.name);
    EXPECT_EQ(names.back().rfind("TUTTI_", 0), 0U);
    EXPECT_NE(std::string(variable.meaning), "");
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace tutti::test
