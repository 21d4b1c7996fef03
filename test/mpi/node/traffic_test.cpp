// What collectives hand to MPI, counted in front of it: nothing where all ranks share a node, and
// between nodes every byte once.
#include "mpi/node/traffic.hpp"

#include <algorithm>
#include <numeric>

#include "support/communicators.hpp"

namespace tutti::test {
namespace {

/// Few and many bytes, and what does not divide.
constexpr std::size_t all_counts[] = {1, 100, 4099, 262144};

class NodeTraffic : public OnWorld {
 protected:
  static Options pretending(std::size_t ranks_of_a_node) {
    Options options;
    options.node_size = ranks_of_a_node;
    return options;
  }

  int node() const { return rank() / node_size; }
  /// Ranks of a rank's node.
  int members(int rank) const { return std::min(node_size, size() - rank / node_size * node_size); }

  int sum_of_node(int own) const {
    std::vector<int> all(ranks());
    PMPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    int sum = 0;
    for (int r = 0; r < size(); ++r)
      if (r / node_size == node()) sum += all[static_cast<std::size_t>(r)];
    return sum;
  }
  /// Bytes that this rank's node hands to MPI calls which reach other nodes.
  template <class Call>
  int sent_by_node(const Call& call) {
    return sum_of_node(static_cast<int>(traffic_of(call).sent_to_other_nodes));
  }
  /// Messages of its own.
  template <class Call>
  int messages_of_node(const Call& call) {
    return sum_of_node(traffic_of(call).messages_to_other_nodes);
  }
};

TEST_F(NodeTraffic, WithinANodeIsNone) {
  std::vector<float> some(100, 1), many(100000, 1), all(100 * ranks()), from_all(all.size());
  const auto each_collective = [&] {
    for (std::vector<float>* data : {&some, &many}) {
      world_.all_reduce(*data, sum);
      world_.reduce(*data, sum, 0);
      world_.broadcast(*data, 0);
      world_.scan(*data, *data, sum);
    }
    world_.all_gather(some, all);
    world_.gather(some, all, 0);
    world_.scatter(all, some, 0);
    world_.reduce_scatter(all, some, sum);
    world_.all_to_all(all, from_all);
    world_.barrier();
  };
  each_collective();
  EXPECT_EQ(traffic_of(each_collective).calls, 0);
}

TEST_F(NodeTraffic, PlansWithinANodeMakeNone) {
  std::vector<float> some(100, 1), many(100000, 1), all(100 * ranks()), from_all(all.size());
  std::vector<Plan> plans;
  for (const Operation& op :
       {all_reduce(some), all_reduce(many), reduce(many, sum, 0), broadcast(some, 0),
        scan(some, some), all_gather(some, all), gather(some, all, 0), scatter(all, some, 0),
        reduce_scatter(all, some), all_to_all(all, from_all), barrier()})
    plans.push_back(world_.plan(op));
  const auto run_all = [&] {
    for (Plan& plan : plans) plan.run();
  };
  run_all();
  EXPECT_EQ(traffic_of(run_all).calls, 0);
}

// MPI does better with long ones, on so many ranks: rank 0 alone knows how long they are.
TEST_F(NodeTraffic, UnevenBlocksGoByTheSizeThatIsAsked) {
  world_.barrier();
  for (const std::size_t count : {std::size_t{10}, std::size_t{100000}}) {
    std::vector<std::size_t> counts(ranks(), count);
    counts[0] = 1;
    std::vector<int> own(counts[static_cast<std::size_t>(rank())]), all;
    for (std::size_t r = 0; rank() == 0 && r < ranks(); ++r)
      all.insert(all.end(), counts[r], static_cast<int>(r));
    const Operation op =
        rank() == 0 ? scatter(all, own, 0, Blocks(counts)) : scatter({}, own, 0, Blocks());
    for (const bool planned : {false, true}) {
      std::fill(own.begin(), own.end(), -1);
      Plan plan = world_.plan(op);
      const int calls = traffic_of([&] { planned ? plan.run() : world_.run(op); }).calls;
      EXPECT_EQ(own, std::vector<int>(own.size(), rank()));
      EXPECT_EQ(calls > 0, size() > 3 && count > 10) << count << ", planned " << planned;
    }
  }
}

TEST_F(NodeTraffic, AllReduceSendsEachByteOnce) {
  const Communicator comm(MPI_COMM_WORLD, pretending(node_size));
  for (const std::size_t count : all_counts) {
    std::vector<float> data(count, 1);
    for (int turn = 0; turn < 2; ++turn) {
      std::fill(data.begin(), data.end(), 1.0F);
      const int sent = sent_by_node([&] { comm.all_reduce(data, sum); });
      EXPECT_EQ(data, std::vector<float>(count, static_cast<float>(size())));
      if (turn == 0) continue;  // makes the shared memory
      EXPECT_EQ(sent, static_cast<int>(count * sizeof(float)));
    }
  }
}

TEST_F(NodeTraffic, ReduceAndBroadcastSendEachByteOnce) {
  const Communicator comm(MPI_COMM_WORLD, pretending(node_size));
  comm.barrier();
  for (const std::size_t count : all_counts)
    for (int root = 0; root < size(); ++root) {
      const auto bytes = static_cast<int>(count * sizeof(float));
      const bool here = root / node_size == node();
      std::vector<float> data(count, 1), result(count);
      EXPECT_EQ(sent_by_node([&] { comm.reduce(data, result, sum, root); }), here ? 0 : bytes);
      const int wanted = rank() == root ? size() : 0;
      EXPECT_EQ(result.back(), static_cast<float>(wanted));
      EXPECT_EQ(sent_by_node([&] { comm.broadcast(data, root); }), here ? bytes : 0);
    }
}

TEST_F(NodeTraffic, AllGatherSendsEachBlockOnce) {
  const Communicator comm(MPI_COMM_WORLD, pretending(node_size));
  comm.barrier();
  for (const std::size_t count : all_counts) {
    std::vector<float> own(count, static_cast<float>(rank())), all(count * ranks());
    const int sent = sent_by_node([&] { comm.all_gather(own, all); });
    EXPECT_EQ(sent, members(rank()) * static_cast<int>(count * sizeof(float)));
    for (int r = 0; r < size(); ++r)
      EXPECT_EQ(all[count * static_cast<std::size_t>(r + 1) - 1], static_cast<float>(r));
  }
}

TEST_F(NodeTraffic, UnevenAllGatherSendsEachBlockOnce) {
  const Communicator comm(MPI_COMM_WORLD, pretending(node_size));
  comm.barrier();
  for (const std::size_t count : all_counts) {
    std::vector<std::size_t> counts;
    for (std::size_t r = 0; r < ranks(); ++r) counts.push_back(count * r);
    const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    std::vector<float> own(counts[static_cast<std::size_t>(rank())], 1), all(total);
    const int sent = sent_by_node([&] { comm.all_gather(own, all, Blocks(counts)); });
    EXPECT_EQ(sent, sum_of_node(static_cast<int>(own.size() * sizeof(float))));
    EXPECT_EQ(all, std::vector<float>(total, 1));
  }
}

TEST_F(NodeTraffic, ReduceScatterSendsEachBlockOfOthersOnce) {
  const Communicator comm(MPI_COMM_WORLD, pretending(node_size));
  comm.barrier();
  for (const std::size_t count : all_counts) {
    std::vector<float> data(count * ranks(), 1), own(count);
    const int sent = sent_by_node([&] { comm.reduce_scatter(data, own, sum); });
    EXPECT_EQ(sent, (size() - members(rank())) * static_cast<int>(count * sizeof(float)));
    EXPECT_EQ(own, std::vector<float>(count, static_cast<float>(size())));
  }
}

TEST_F(NodeTraffic, ScansHandOnEachByteOnce) {
  const Communicator comm(MPI_COMM_WORLD, pretending(node_size));
  comm.barrier();
  const bool is_last = node() == (size() - 1) / node_size;
  for (const std::size_t count : all_counts) {
    const auto bytes = static_cast<int>(count * sizeof(float));
    std::vector<float> data(count, 1), result(count);
    EXPECT_EQ(sent_by_node([&] { comm.scan(data, result, sum); }), is_last ? 0 : bytes);
    EXPECT_EQ(result, std::vector<float>(count, static_cast<float>(rank() + 1)));
    EXPECT_EQ(sent_by_node([&] { comm.exclusive_scan(data, result, sum); }), is_last ? 0 : bytes);
    EXPECT_EQ(result.back(), static_cast<float>(rank() == 0 ? 1 : rank()));
  }
}

TEST_F(NodeTraffic, GatherAndScatterSendEachBlockOnce) {
  const Communicator comm(MPI_COMM_WORLD, pretending(node_size));
  comm.barrier();
  for (const std::size_t count : all_counts)
    for (int root = 0; root < size(); ++root) {
      const auto bytes = static_cast<int>(count * sizeof(float));
      const bool here = root / node_size == node();
      std::vector<float> own(count, static_cast<float>(rank())), all(count * ranks());
      EXPECT_EQ(sent_by_node([&] { comm.gather(own, all, root); }),
                here ? 0 : members(rank()) * bytes);
      EXPECT_EQ(all.back(), static_cast<float>(rank() == root ? size() - 1 : 0));
      std::iota(all.begin(), all.end(), 0.0F);
      EXPECT_EQ(sent_by_node([&] { comm.scatter(all, own, root); }),
                here ? (size() - members(root)) * bytes : 0);
      EXPECT_EQ(own[0], static_cast<float>(count * static_cast<std::size_t>(rank())));
    }
}

TEST_F(NodeTraffic, AllToAllSendsEachBlockForOthersOnce) {
  const Communicator comm(MPI_COMM_WORLD, pretending(node_size));
  comm.barrier();
  for (const std::size_t count : all_counts)
    for (const bool uneven : {false, true}) {
      const std::vector<std::size_t> counts(ranks(), count);
      std::vector<float> from(count * ranks(), static_cast<float>(rank())), to(from.size());
      const Operation op =
          uneven ? all_to_all(from, Blocks(counts), to, Blocks(counts)) : all_to_all(from, to);
      const int sent = sent_by_node([&] { comm.run(op); });
      for (std::size_t r = 0; r < ranks(); ++r)
        EXPECT_EQ(to[r * count + count - 1], static_cast<float>(r));
      // Equal long blocks are left to MPI's own all_to_all.
      if (comm.choose(op).backend == "mpi") continue;
      EXPECT_TRUE(uneven || count <= 256);
      EXPECT_EQ(sent, members(rank()) * (size() - members(rank())) *
                          static_cast<int>(count * sizeof(float)));
    }
}

// A node's short blocks are one message, whether they lie side by side or not.
TEST_F(NodeTraffic, ShortBlocksOfANodeGoTogether) {
  const Communicator comm(MPI_COMM_WORLD, pretending(node_size));
  comm.barrier();
  const int nodes = (size() + node_size - 1) / node_size;
  std::vector<std::size_t> counts, offsets;
  for (std::size_t r = 0; r < ranks(); ++r) {
    counts.push_back(r + 1);
    offsets.push_back((ranks() - 1 - r) * 10);
  }
  const Blocks blocks(counts, offsets);
  const auto self = static_cast<std::size_t>(rank());
  for (int root = 0; root < size(); ++root) {
    const bool here = root / node_size == node();
    std::vector<int> own(self + 1, rank()), all(10 * ranks(), -1);
    EXPECT_EQ(messages_of_node([&] { comm.gather(own, all, root, blocks); }), here ? 0 : 1);
    for (std::size_t r = 0; rank() == root && r < ranks(); ++r) {
      EXPECT_EQ(all[offsets[r] + r], static_cast<int>(r));
      EXPECT_EQ(all[offsets[r] + r + 1], -1);
    }
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(messages_of_node([&] { comm.scatter(all, own, root, blocks); }),
              here ? nodes - 1 : 0);
    EXPECT_EQ(own.back(), static_cast<int>(offsets[self] + self));
  }
}

}  // namespace
}  // namespace tutti::test
