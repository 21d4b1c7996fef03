#include "scenario.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

extern char** environ;

namespace scenario {
namespace {

constexpr const char* flag = "--scenario=";

std::map<std::string, Body>& bodies() {
  static std::map<std::string, Body> known;
  return known;
}

std::string text_of(const ncclUniqueId& id) {
  std::string text;
  for (const char c : id.internal) text += std::to_string(static_cast<int>(c)) + ",";
  return text;
}

ncclUniqueId id_of(const char* text) {
  ncclUniqueId id{};
  for (char& c : id.internal) {
    c = static_cast<char>(std::atoi(text));
    text = std::strchr(text, ',') + 1;
  }
  return id;
}

pid_t start(const std::string& name, std::vector<std::string> environment) {
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  std::vector<char*> variables;
  for (auto& entry : environment) variables.push_back(entry.data());
  variables.push_back(nullptr);
  std::string argument = flag + name, program = "/proc/self/exe";
  char* arguments[] = {program.data(), argument.data(), nullptr};
  const pid_t child = fork();
  if (child != 0) return child;
  execve(program.c_str(), arguments, variables.data());
  _exit(127);
}

int wait_for(pid_t child, std::chrono::steady_clock::time_point deadline) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

bool add(const std::string& name, Body body) {
  return bodies().emplace(name, body).second;
}

bool Result::all_good() const {
  for (const int one : status) {
    if (one != 0) return false;
  }
  return true;
}

Result run(const std::string& name, int size, const std::vector<std::string>& environment,
           int seconds) {
  ncclUniqueId id{};
  ncclGetUniqueId(&id);
  std::vector<pid_t> children;
  for (int rank = 0; rank < size; ++rank) {
    auto mine = environment;
    mine.push_back("OMPI_COMM_WORLD_RANK=" + std::to_string(rank));
    mine.push_back("SCENARIO_SIZE=" + std::to_string(size));
    mine.push_back("SCENARIO_ID=" + text_of(id));
    children.push_back(start(name, std::move(mine)));
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  Result result;
  for (const pid_t child : children) result.status.push_back(wait_for(child, deadline));
  return result;
}

void require(bool good, const char* what, const char* file, int line) {
  if (good) return;
  std::fprintf(stderr, "%s:%d: rank %s: failed: %s\n", file, line,
               std::getenv("OMPI_COMM_WORLD_RANK"), what);
  _exit(1);
}

ncclComm_t join(const Rank& job) {
  ncclComm_t comm = nullptr;
  REQUIRE(cudaSetDevice(job.rank) == cudaSuccess);
  REQUIRE(ncclCommInitRank(&comm, job.size, job.id, job.rank) == ncclSuccess);
  return comm;
}

static int run_here(const std::string& name) {
  const Rank job{std::atoi(std::getenv("OMPI_COMM_WORLD_RANK")),
                 std::atoi(std::getenv("SCENARIO_SIZE")), id_of(std::getenv("SCENARIO_ID"))};
  bodies().at(name)(job);
  return 0;
}

}  // namespace scenario

int main(int argc, char** argv) {
  if (argc == 2 && std::strncmp(argv[1], scenario::flag, std::strlen(scenario::flag)) == 0) {
    return scenario::run_here(argv[1] + std::strlen(scenario::flag));
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
