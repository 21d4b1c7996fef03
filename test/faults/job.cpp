#include "faults/job.hpp"

#include <cstdlib>
#include <stdexcept>

namespace tutti::faults {
namespace {

std::string setting(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

}  // namespace

Job::Job(const Communicator& world, int victim)
    : world_(world),
      victim_(victim),
      verb_(setting("FAULTS_VERB", "run")),
      count_(std::stoul(setting("FAULTS_COUNT", "100"))),
      data_(count_, setting("FAULTS_MEMORY", "host") == "device" ? world.device() : Device()) {
  if (setting("FAULTS_MEMORY", "host") == "device" && !data_.device())
    throw std::runtime_error("there is no device");
}

Operation Job::operation() const {
  return all_reduce(const_cast<Buffer<int>&>(data_), sum);
}

void Job::do_it(const Operation& operation) const {
  if (verb_ == "run") return world_.run(operation);
  if (verb_ == "start") return world_.start(operation).wait();
  if (verb_ == "group") return world_.run({operation, barrier()});
  if (verb_ == "plan") return world_.plan(operation).run();
  throw std::runtime_error("unknown verb " + verb_);
}

void Job::fill(int value) {
  const std::vector<int> values(count_, value);
  data_.write(values.data(), count_);
}

std::vector<int> Job::values() const {
  std::vector<int> values(count_);
  data_.read(values.data(), count_);
  return values;
}

void Job::round() {
  const int n = world_.size();
  fill(world_.rank() + 1);
  do_it(operation());
  for (const int value : values())
    if (value != n * (n + 1) / 2) throw std::runtime_error("wrong data: " + std::to_string(value));
}

void Job::rounds(int count) {
  for (int i = 0; i < count; ++i) round();
}

}  // namespace tutti::faults
