// The memory that ranks of a node share: what it leaves behind, and what becomes of a job where it
// cannot be had.
#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>

#include "mpi/node/team.hpp"
#include "support/communicators.hpp"

namespace tutti::test {
namespace {

/// Names in a directory.
std::vector<std::string> entries(const char* directory) {
  std::vector<std::string> names;
  DIR* const opened = opendir(directory);
  if (opened == nullptr) return names;
  while (const dirent* entry = readdir(opened)) names.emplace_back(entry->d_name);
  closedir(opened);
  return names;
}

/// Of the files that tutti mapped: those are nameless.
int mapped_segments() {
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find("memfd:tutti") != std::string::npos) ++found;
  return found;
}

/// A soft limit of this process, as long as it lives. The signal that comes with one is ignored.
class Limit {
 public:
  Limit(int resource, rlim_t most) : resource_(resource) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(as_resource(), &before_);
    const rlimit less{std::min(most, before_.rlim_max), before_.rlim_max};
    EXPECT_EQ(setrlimit(as_resource(), &less), 0);
  }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  ~Limit() { setrlimit(as_resource(), &before_); }

 private:
  __rlimit_resource as_resource() const { return static_cast<__rlimit_resource>(resource_); }

  int resource_;
  rlimit before_{};
};

/// What `call` writes to standard error.
template <class Call>
std::string written(const Call& call) {
  std::fflush(stderr);
  std::FILE* const file = std::tmpfile();
  const int before = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  call();
  dup2(before, STDERR_FILENO);
  close(before);
  std::fseek(file, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

int occurrences(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

class SharedMemory : public OnWorld {
 protected:
  std::string reason(const Communicator& comm) const {
    std::vector<int> data(10);
    return comm.choose(all_reduce(data, sum)).reason;
  }
};

TEST_F(SharedMemory, LeavesNothingBehind) {
  expect_works(world_);
  const int before = mapped_segments();
  const std::size_t files = entries("/proc/self/fd").size();
  for (int turn = 0; turn < 10; ++turn) {
    const Communicator comm(MPI_COMM_WORLD);
    const int without = mapped_segments();
    expect_works(comm);
    EXPECT_EQ(mapped_segments(), without + 1) << "made at the first collective";
    expect_works(comm);
    EXPECT_EQ(mapped_segments(), without + 1);
    for (const std::string& name : entries("/dev/shm"))
      EXPECT_EQ(name.find("tutti"), std::string::npos) << name;
  }
  EXPECT_EQ(mapped_segments(), before);
  EXPECT_EQ(entries("/proc/self/fd").size(), files);
}

TEST_F(SharedMemory, ThatTheFileLimitForbidsIsToldOnceAndMpiServes) {
  const Communicator comm(MPI_COMM_WORLD);
  const std::string log = written([&] {
    const Limit limit(RLIMIT_FSIZE, rank() == 0 ? mpi::node::Team::bytes_for_each : RLIM_INFINITY);
    for (int turn = 0; turn < 3; ++turn) expect_works(comm);
  });
  EXPECT_EQ(occurrences(log, "collectives on host memory go through MPI alone"), 1) << log;
  const std::size_t bytes = mpi::node::Team::bytes_for_each * ranks();
  if (rank() == 0) {
    EXPECT_TRUE(has(log, "RLIMIT_FSIZE"));
    EXPECT_TRUE(has(log, "shared memory of " + std::to_string(bytes) + " bytes"));
    EXPECT_TRUE(has(reason(comm), "RLIMIT_FSIZE"));
  } else {
    EXPECT_TRUE(has(log, "rank 0 of the node could not make shared memory"));
  }
  meet();
  expect_works(comm);  // the limit is gone, the way stays
}

TEST_F(SharedMemory, ThatOneRankCannotOpenNobodyUses) {
  const Communicator comm(MPI_COMM_WORLD);
  expect_works(world_);  // whatever MPI opens late is open
  const int last = size() - 1;
  const auto free_descriptor = static_cast<rlim_t>(dup(0));
  close(static_cast<int>(free_descriptor));
  const std::string log = written([&] {
    const Limit limit(RLIMIT_NOFILE, rank() == last ? free_descriptor : 1024);
    for (int turn = 0; turn < 3; ++turn) expect_works(comm);
  });
  EXPECT_EQ(occurrences(log, "collectives on host memory go through MPI alone"), 1) << log;
  EXPECT_TRUE(has(log, rank() == last ? "Too many open files" : "another rank"));
}

}  // namespace
}  // namespace tutti::test
