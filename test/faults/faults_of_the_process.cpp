// The victim stops, dies, comes late or leaves.
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "faults/job.hpp"
#include "faults/leave.hpp"

namespace tutti::faults {

using namespace std::chrono_literals;

const std::vector<Fault>& faults_of_the_process() {
  static const std::vector<Fault> faults = {
      {"none", [](Job&) {}},
      {"stop", [](Job&) { std::raise(SIGSTOP); }},
      {"kill", [](Job&) { std::raise(SIGKILL); }},
      {"terminate", [](Job&) { std::raise(SIGTERM); }},
      {"abort", [](Job&) { std::abort(); }},
      {"late",
       [](Job& job) { std::this_thread::sleep_for(2 * job.world().options().timeout + 500ms); }},
      {"late_in_time",
       [](Job& job) { std::this_thread::sleep_for(job.world().options().timeout / 4); }},
      {"exit", [](Job&) { std::_Exit(0); }},
      {"exit_normally", [](Job&) { std::exit(0); }},
      {"return", [](Job&) { throw Leave{0}; }},
      // Nothing in main catches a number.
      {"throw", [](Job&) { throw 1; }},
      {"unwind", [](Job&) { throw std::runtime_error("the application's own"); }},
      {"end_job", [](Job&) { end_job(7, "the victim cannot go on"); }},
      {"abort_communicator",
       [](Job& job) {
         job.world().abort();
         job.round();
       }},
  };
  return faults;
}

}  // namespace tutti::faults
