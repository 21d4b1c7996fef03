// The system gives the victim less than it needs, or interrupts it.
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "faults/job.hpp"
#include "faults/leave.hpp"

namespace tutti::faults {
namespace {

using namespace std::chrono_literals;

volatile std::sig_atomic_t alarms = 0;

// Without SA_RESTART: what waits in the system comes back with EINTR.
void storm_of_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) { alarms = alarms + 1; };
  sigaction(SIGALRM, &action, nullptr);
  const itimerval every{{0, 300}, {0, 300}};
  setitimer(ITIMER_REAL, &every, nullptr);
}

void end_of_the_storm(Job& job) {
  storm_of_signals();
  const auto end = std::chrono::steady_clock::now() + 300ms;
  for (int more = 1; more != 0;) {
    job.rounds(20);
    const Communicator second = job.world().duplicate();
    more = std::chrono::steady_clock::now() < end ? 1 : 0;
    MPI_Bcast(&more, 1, MPI_INT, job.victim(), MPI_COMM_WORLD);
  }
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  if (alarms < 20) throw std::runtime_error("hardly a signal came");
}

void limit(__rlimit_resource resource, rlim_t value) {
  rlimit both{};
  getrlimit(resource, &both);
  both.rlim_cur = value;
  if (setrlimit(resource, &both) != 0) throw std::runtime_error("setrlimit failed");
}

rlim_t address_space() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  file >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

// Of a type that needs memory for what comes from the others.
void a_large_operation(Job& job, bool poor) {
  std::vector<float16> data(std::size_t{1} << 24, float16(1.0F));
  if (poor) limit(RLIMIT_AS, address_space() + (1 << 20));
  job.do_it(all_reduce(data, sum));
}

void new_communicators(Job& job) {
  const Communicator second = job.world().duplicate();
  const Communicator third(MPI_COMM_WORLD, job.world().options());
  std::vector<int> data(100, 1);
  second.all_reduce(data, sum);
  third.all_reduce(data, sum);
  if (data[0] != job.world().size() * job.world().size()) throw std::runtime_error("wrong data");
}

void without_descriptors(Job& job) {
  rlim_t first_free = static_cast<rlim_t>(dup(0));
  close(static_cast<int>(first_free));
  limit(RLIMIT_NOFILE, first_free);
  new_communicators(job);
}

void without_file_space(Job& job) {
  std::signal(SIGXFSZ, SIG_IGN);
  limit(RLIMIT_FSIZE, 0);
  new_communicators(job);
  limit(RLIMIT_FSIZE, RLIM_INFINITY);  // what this rank says goes into a file
}

void with_a_child(Job& job) {
  const pid_t child = fork();
  if (child == 0) {
    std::this_thread::sleep_for(100ms);
    _exit(0);
  }
  job.rounds(50);
  int status = 0;
  waitpid(child, &status, 0);
  if (child < 0 || status != 0) throw std::runtime_error("the child failed");
}

void with_a_child_that_returns(Job& job) {
  const pid_t child = fork();
  if (child == 0) throw Leave{0};  // by all destructors
  int status = 0;
  waitpid(child, &status, 0);
  if (child < 0 || !WIFEXITED(status)) throw std::runtime_error("the child crashed");
  job.rounds(50);
}

}  // namespace

const std::vector<Fault>& faults_of_the_surroundings() {
  static const std::vector<Fault> faults = {
      {"interrupted", end_of_the_storm, end_of_the_storm},
      {"memory", [](Job& job) { a_large_operation(job, true); },
       [](Job& job) { a_large_operation(job, false); }},
      {"descriptors", without_descriptors, new_communicators},
      {"file_size", without_file_space, new_communicators},
      {"new_communicators", new_communicators, new_communicators},
      {"fork", with_a_child, [](Job& job) { job.rounds(50); }},
      {"fork_and_return", with_a_child_that_returns, [](Job& job) { job.rounds(50); }},
  };
  return faults;
}

}  // namespace tutti::faults
