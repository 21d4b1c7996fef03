// Which backend served an operation: what is remembered for one must not be told of another.
#include "diagnostics/known_servers.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tutti/device.hpp"

namespace tutti {
namespace {

using record_file::BackendName;

double memory[64];
float floats[64];

std::span<double> doubles(std::size_t count) {
  return {memory, count};
}

// As backends get it: where its memory lies has been found out.
Operation placed(Operation operation) {
  for (MemoryView* const side : {&operation.send, &operation.receive})
    if (side->kind == MemoryKind::unspecified) side->kind = MemoryKind::host;
  return operation;
}

// Each differs from all others in one thing that a choice may depend on.
std::vector<Operation> different_operations() {
  using std::chrono::seconds;
  std::vector<Operation> all{all_reduce(doubles(8), sum),
                             all_reduce(doubles(8), prod),
                             all_reduce(doubles(7), sum),
                             all_reduce(std::span<float>(floats, 8), sum),
                             scan(doubles(8), doubles(8), sum),
                             broadcast(doubles(8), 0),
                             all_gather(doubles(8), doubles(16)),
                             send(doubles(8), 1),
                             barrier()};
  // Never remembered.
  all.push_back(all_reduce(doubles(8), sum).within(seconds(1)));
  all.push_back(all_reduce(DeviceSpan<double>(memory, 8), sum));
  all.push_back(all_reduce(doubles(8), pre_multiplied(2.0)));
  all.push_back(all_gather(doubles(8), doubles(16), Blocks()));
  for (Operation& operation : all) operation = placed(operation);
  return all;
}
constexpr std::size_t remembered = 9;

TEST(KnownServers, WhatIsFoundIsWhatWasAdded) {
  const std::vector<Operation> all = different_operations();
  for (std::size_t added = 0; added < all.size(); ++added) {
    KnownServers servers;
    for (int i = 0; i < 3; ++i) servers.add(all[added], BackendName("staged"));
    for (std::size_t asked = 0; asked < all.size(); ++asked) {
      const BackendName* const found = servers.find(all[asked]);
      ASSERT_EQ(found != nullptr, asked == added && added < remembered)
          << asked << " after " << added;
      EXPECT_TRUE(found == nullptr || *found == BackendName("staged"));
    }
  }
}

TEST(KnownServers, TheFirstAnswerIsNotBelieved) {
  const Operation operation = placed(all_reduce(doubles(8), sum));
  KnownServers servers;
  servers.add(operation, BackendName("node"));
  EXPECT_EQ(servers.find(operation), nullptr);
  servers.add(operation, BackendName("mpi"));
  ASSERT_NE(servers.find(operation), nullptr);
  EXPECT_EQ(*servers.find(operation), BackendName("mpi"));
}

TEST(KnownServers, TheOneRememberedInTheSamePlaceIsForgotten) {
  KnownServers servers;
  const auto operation = [](std::size_t count) { return placed(all_reduce(doubles(count), sum)); };
  for (std::size_t count = 1; count <= 64; ++count)
    for (int i = 0; i < 2; ++i) servers.add(operation(count), BackendName("node"));
  std::size_t found = 0;
  for (std::size_t count = 1; count <= 64; ++count)
    if (servers.find(operation(count)) != nullptr) ++found;
  EXPECT_GT(found, 0U);
  EXPECT_LT(found, 64U);
}

}  // namespace
}  // namespace tutti
