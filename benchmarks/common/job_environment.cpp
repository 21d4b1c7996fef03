#include "common/job_environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tutti/version.hpp>

#include <algorithm>
#include <numeric>
#include <span>

#include "common/machine.hpp"
#include "common/mpi_support.hpp"

namespace tutti::bench {
namespace {

/// The ranks of one node; freed with the object.
class NodeComm {
 public:
  explicit NodeComm(MPI_Comm comm) {
    check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm_),
              "MPI_Comm_split_type");
    MPI_Comm_rank(comm_, &rank);
    MPI_Comm_size(comm_, &size);
  }
  NodeComm(const NodeComm&) = delete;
  NodeComm& operator=(const NodeComm&) = delete;
  ~NodeComm() { MPI_Comm_free(&comm_); }
  MPI_Comm get() const noexcept { return comm_; }

  int rank = 0;
  int size = 1;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Cores that any of the node's ranks may run on: what binding and the batch system left to them.
int usable_cores(const NodeComm& node) {
  std::vector<unsigned char> cores = allowed_cores();
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, cores.data(), static_cast<int>(cores.size()),
                          MPI_UNSIGNED_CHAR, MPI_MAX, node.get()),
            "MPI_Allreduce");
  return std::accumulate(cores.begin(), cores.end(), 0);
}

/// One for each rank of which only the nodes' first ones count.
struct NodeRecord {
  int first = 0;
  int ranks = 0;
  int cores = 0;
  char host[MPI_MAX_PROCESSOR_NAME] = "";
};

void gather_nodes(MPI_Comm comm, JobEnvironment& environment) {
  const NodeComm node(comm);
  NodeRecord mine{node.rank == 0, node.size, usable_cores(node), ""};
  int length = 0;
  MPI_Get_processor_name(mine.host, &length);
  std::vector<NodeRecord> records(static_cast<std::size_t>(environment.ranks));
  check_mpi(
      MPI_Allgather(&mine, sizeof mine, MPI_BYTE, records.data(), sizeof mine, MPI_BYTE, comm),
      "MPI_Allgather");
  for (const NodeRecord& record : records) {
    if (record.first == 0) continue;
    environment.hosts.emplace_back(record.host);
    environment.ranks_per_node.push_back(record.ranks);
    environment.cores_per_node.push_back(record.cores);
    environment.oversubscribed |= record.ranks > record.cores;
  }
}

std::string thread_level() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) return "multiple";
  if (level == MPI_THREAD_SERIALIZED) return "serialized";
  return level == MPI_THREAD_FUNNELED ? "funneled" : "single";
}

std::string mpi_standard() {
  int major = 0;
  int minor = 0;
  MPI_Get_version(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

}  // namespace

JobEnvironment job_environment(MPI_Comm comm, int argc, const char* const* argv) {
  JobEnvironment environment;
  environment.tutti_version = version();
  environment.mpi_built_with = built_with_mpi();
  environment.mpi_library = loaded_mpi();
  environment.mpi_standard = mpi_standard();
  environment.thread_level = thread_level();
  MPI_Comm_size(comm, &environment.ranks);
  gather_nodes(comm, environment);
  environment.cpu_model = cpu_model();
  environment.date = utc_date();
  environment.compiler = compiler();
  environment.command_line =
      fmt::format("{}", fmt::join(std::span(argv, static_cast<std::size_t>(argc)), " "));
  return environment;
}

nlohmann::ordered_json to_json(const JobEnvironment& e) {
  return {{"tutti_version", e.tutti_version},
          {"mpi_library", e.mpi_library},
          {"mpi_built_with", e.mpi_built_with},
          {"mpi_standard", e.mpi_standard},
          {"thread_level", e.thread_level},
          {"ranks", e.ranks},
          {"nodes", e.hosts.size()},
          {"ranks_per_node", e.ranks_per_node},
          {"hosts", e.hosts},
          {"cores", std::accumulate(e.cores_per_node.begin(), e.cores_per_node.end(), 0)},
          {"cores_per_node", e.cores_per_node},
          {"oversubscribed", e.oversubscribed},
          {"cpu_model", e.cpu_model},
          {"compiler", e.compiler},
          {"date", e.date},
          {"command_line", e.command_line}};
}

int ranks_on_this_node(MPI_Comm comm) {
  return NodeComm(comm).size;
}

}  // namespace tutti::bench
