// Records, and what a communicator says of itself, name whoever did an operation: the node's memory
// and MPI are told apart by what this rank hands to MPI.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "diagnostics/record_file.hpp"
#include "mpi/node/traffic.hpp"
#include "support/communicators.hpp"

namespace tutti::test {
namespace {

namespace files = std::filesystem;

/// Where this rank's record is, as long as the tests run.
class Records : public testing::Environment {
 public:
  void SetUp() override {
    char name[] = "/tmp/tutti-served-test.XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    directory_ = name;
    setenv("TUTTI_RECORD", name, 1);
  }
  void TearDown() override { files::remove_all(directory_); }

  /// Of the last call.
  static std::string backend() {
    std::string ring;
    for (const auto& entry : files::directory_iterator(directory_))
      if (entry.path().extension() == ".ring") ring = entry.path();
    std::vector<char> bytes(record_file::file_size);
    std::ifstream(ring, std::ios::binary).read(bytes.data(), record_file::file_size);
    const auto* const header = reinterpret_cast<const record_file::Header*>(bytes.data());
    const auto* const records =
        reinterpret_cast<const record_file::Record*>(bytes.data() + record_file::header_size);
    const std::uint64_t newest = header->newest.load();
    return record_file::Course(records[(newest - 1) % record_file::capacity].course.load()).backend;
  }

 private:
  static inline files::path directory_;
};

[[maybe_unused]] const auto* const registered = testing::AddGlobalTestEnvironment(new Records);

std::string served(int mpi_calls) {
  return mpi_calls > 0 ? "mpi" : "node";
}

class Served : public OnWorld {
 protected:
  /// Turn after turn, since ranks find out at the first one what is worth while.
  void expect_true_records(const char* what, const std::function<void()>& call) const {
    for (int turn = 0; turn < 4; ++turn) {
      const Traffic traffic = traffic_of(call);
      EXPECT_EQ(Records::backend(), served(traffic.calls)) << what << ", turn " << turn;
    }
  }
  std::vector<char> blocks(std::size_t bytes) const { return std::vector<char>(bytes * ranks()); }
};

TEST_F(Served, RecordsNameWhoDidIt) {
  for (const std::size_t bytes : {64U << 10U, 200U << 10U, 1U << 20U}) {
    std::vector<char> all = blocks(bytes), more = blocks(bytes), own(bytes);
    std::vector<std::size_t> counts(ranks(), bytes);
    counts[0] -= 1;
    const std::span<const char> uneven(all.data(), all.size() - 1);
    const std::span<char> part(own.data(), counts[static_cast<std::size_t>(rank())]);
    const Operation ops[] = {tutti::scatter(all, own, 0),
                             tutti::scatter(uneven, part, 0, Blocks(counts)), all_to_all(all, more),
                             all_to_all(all, all), all_reduce(own, max)};
    for (const Operation& op : ops) {
      const std::string name = describe(op);
      expect_true_records(("run: " + name).c_str(), [&] { world_.run(op); });
      Plan plan = world_.plan(op);
      expect_true_records(("plan: " + name).c_str(), [&] { plan.run(); });
      expect_true_records(("start: " + name).c_str(), [&] { world_.start(op).wait(); });
    }
  }
}

TEST_F(Served, RecordsOfGroupsNameMpi) {
  std::vector<int> data(3, 1), other(3, 1);
  expect_true_records("alone", [&] { world_.all_reduce(data, max); });
  expect_true_records("a group", [&] {
    world_.run({all_reduce(data, max), all_reduce(other, max)});
  });
  expect_true_records("alone again", [&] { world_.all_reduce(data, max); });
  Plan plan = world_.plan({all_reduce(data, max), barrier()});
  expect_true_records("a group's plan", [&] { plan.run(); });
}

// Once what has to be found out has been, at the first operation of its kind.
TEST_F(Served, TheChoiceThatIsToldIsTheOneThatIsMade) {
  for (const std::size_t bytes : {1U << 10U, 64U << 10U, 200U << 10U, 1U << 20U, 2U << 20U}) {
    std::vector<char> all = blocks(bytes), more = blocks(bytes), own(bytes);
    for (const Operation& op : {tutti::scatter(all, own, 0), all_to_all(all, more)}) {
      world_.run(op);
      const Choice choice = world_.choose(op);
      const Traffic traffic = traffic_of([&] { world_.run(op); });
      EXPECT_EQ(choice.backend, served(traffic.calls))
          << describe(op) << ": " << choice.algorithm << "; " << choice.reason;
    }
  }
}

}  // namespace
}  // namespace tutti::test
