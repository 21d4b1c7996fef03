#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "conformance/under_test.hpp"
#include "support/area.hpp"
#include "support/reference.hpp"
#include "support/world.hpp"
#include "tutti/backend.hpp"

namespace tutti::test {

/// A task together with the operations that it was prepared from.
struct Prepared {
  std::vector<Operation> operations;
  std::unique_ptr<Task> task;
};

/// Runs operations on the backend that is the test's parameter, through `Backend` alone.
class Conformance : public testing::TestWithParam<BackendUnderTest> {
 protected:
  using Kind = ReduceOp::Kind;

  int rank() const { return test::rank(); }
  int size() const { return test::size(); }
  std::size_t ranks() const { return static_cast<std::size_t>(size()); }
  std::size_t self() const { return static_cast<std::size_t>(rank()); }
  Backend& backend();

  /// Whether it serves the operation and the result can be compared; a test failure if it should
  /// and does not.
  bool serves(const Operation& operation);
  /// Whether its result is the reference's, bit for bit.
  bool exact(const Operation& operation) const;
  void run(std::initializer_list<Operation> operations) { run(std::vector<Operation>(operations)); }
  void run(const std::vector<Operation>& operations);
  Prepared prepare(std::initializer_list<Operation> operations);

  Area area(DataType type, std::size_t count, std::size_t shift = 1) {
    return Area(*GetParam().memory, type, count, shift);
  }
  /// An area that holds these elements.
  Area area_of(DataType type, const Bytes& elements, std::size_t shift = 1);

  /// The counts worth testing on this backend.
  std::vector<std::size_t> counts() const;

  /// Calls with every type, every count and every root, without calling with every combination.
  void for_each_movement(const std::function<void(DataType, std::size_t count, int root)>& call);
  /// The same with pairs of type and reduction.
  void for_each_reduction(
      const std::function<void(DataType, Kind, std::size_t count, int root)>& call);

  /// What each rank contributes, made from `pattern` or `noise`.
  std::vector<Bytes> patterns(DataType type, Kind kind, std::size_t count) const;
  std::vector<Bytes> noises(DataType type, std::size_t count) const;
};

/// Elements `offset` to `offset + count`.
Bytes slice(DataType type, const Bytes& elements, std::size_t offset, std::size_t count);
/// One behind the other.
Bytes joined(const std::vector<Bytes>& parts);

/// Frees the backends; main calls MPI_Finalize after the tests.
class BackendsOfThisRun : public testing::Environment {
 public:
  void TearDown() override;
};

}  // namespace tutti::test

/// Instantiates a suite for every backend.
#define TUTTI_ON_EVERY_BACKEND(Suite)                                                        \
  INSTANTIATE_TEST_SUITE_P(On, Suite, testing::ValuesIn(tutti::test::backends_under_test()), \
                           [](const auto& tested) { return tested.param.name; })
