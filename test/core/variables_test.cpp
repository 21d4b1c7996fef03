// TUTTI_* variables: each sets its option, nonsense is told with what would do.
#include "core/variables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/kernels.hpp"
#include "core/text.hpp"
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

// However long and strange: an error at most, which is short and can be printed.
TEST(Variables, NoValueDoesMoreThanGiveAnError) {
  const std::string values[] = {std::string(std::size_t{1} << 20U, 'x'),
                                std::string(std::size_t{1} << 20U, '9'),
                                "\x1b[31mred\n\r\t",
                                "\xff\xfe\xc0\x80\xed\xa0\x80",
                                "",
                                " ",
                                "%s%n%p",
                                "-",
                                "0x10",
                                "1e9999",
                                "99999999999999999999ms"};
  for (const Variable& variable : known_variables())
    for (const std::string& value : values) {
      const Failure failure = failure_of([&] { with(variable.name, value.c_str()); });
      if (!failure.thrown) continue;
      EXPECT_EQ(failure.code, Errc::invalid_argument) << failure.text;
      EXPECT_LT(failure.text.size(), 400U) << variable.name;
      for (const char letter : failure.text)
        EXPECT_TRUE(letter >= ' ' && letter <= '~') << failure.text;
    }
}

TEST(Variables, StallTimes) {
  EXPECT_EQ(stall_time_from_environment(), 60s);
  const Set set("TUTTI_STALL", "250ms");
  EXPECT_EQ(stall_time_from_environment(), 250ms);
}

TEST(Text, WhatCannotBeShownIsWrittenOut) {
  EXPECT_EQ(printable("all_reduce \xc3\xa4 \xe2\x82\xac \xf0\x9f\x8e\xb5"),
            "all_reduce \xc3\xa4 \xe2\x82\xac \xf0\x9f\x8e\xb5");
  EXPECT_EQ(printable("a\nb\x1b\x7f"), "a\\x0ab\\x1b\\x7f");
  EXPECT_EQ(printable("\xc2\x80"), "\\xc2\\x80") << "a control character of two bytes";
  EXPECT_EQ(printable("\xc0\x80 \xed\xa0\x80 \xe2\x82"), "\\xc0\\x80 \\xed\\xa0\\x80 \\xe2\\x82");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable(std::string(300, 'x'), 80), std::string(80, 'x') + "...");
}

TEST(Text, RangesOfRanks) {
  EXPECT_EQ(ranges_of({}), "");
  EXPECT_EQ(ranges_of({3}), "3");
  EXPECT_EQ(ranges_of({0, 1, 2, 5, 7, 8}), "0-2, 5, 7-8");
}

}  // namespace
}  // namespace tutti::test
