#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::faults {

/// The application that faults happen to: a loop of operations on host or device memory, each
/// checked.
class Job {
 public:
  Job(const Communicator& world, int victim);

  bool is_victim() const noexcept { return world_.rank() == victim_; }
  const Communicator& world() const noexcept { return world_; }
  int victim() const noexcept { return victim_; }

  /// One round: an operation in the verb of $FAULTS_VERB, its result checked.
  void round();
  void rounds(int count);

  /// The loop's operation on the loop's memory.
  Operation operation() const;
  void do_it(const Operation& operation) const;

 private:
  void fill(int value);
  std::vector<int> values() const;

  const Communicator& world_;
  int victim_;
  std::string verb_;
  std::size_t count_;
  Buffer<int> data_;
};

/// What the victim does in the middle of the loop, by its name; the other ranks go on.
struct Fault {
  const char* name;
  std::function<void(Job&)> at_victim;
  /// What the others do meanwhile, if it is not the loop.
  std::function<void(Job&)> at_others = nullptr;
};

const std::vector<Fault>& faults_of_the_process();
const std::vector<Fault>& faults_of_the_call();
const std::vector<Fault>& faults_of_the_surroundings();

}  // namespace tutti::faults
