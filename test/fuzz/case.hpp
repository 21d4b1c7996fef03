#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/instance.hpp"
#include "fuzz/pool.hpp"
#include "fuzz/spoil.hpp"

namespace tutti::fuzz {

/// How the operations of a case are done.
enum class Manner { run_each, run_group, start_group, start_each, plan_run, plan_start };

/// Up to four operations on one communicator, done in one manner; perhaps one of them is wrong, on
/// all ranks or on one. Either the right data or the same clear error comes out of it.
class Case {
 public:
  Case(std::uint64_t seed, Member& member, const Limits& limits);
  std::string text() const;
  /// Fails the program if the outcome is neither.
  void perform();

 private:
  void draw_spoil();
  void draw_manner();
  std::vector<Operation> group();
  void spoil(std::vector<Operation>& operations, std::size_t at) const;
  bool is_mine_to_spoil() const noexcept;

  void perform_once();
  void perform_each();
  void perform_works();
  void perform_plan();
  void finish(Work& work);
  void arm();
  void forget_blocks();
  void require_done();
  void require_refused(const std::optional<Error>& error);

  Random random_;
  Random own_;  ///< what may differ between ranks
  Member& member_;
  int rank_;
  int size_;
  std::vector<Draw> draws_;
  std::vector<std::unique_ptr<Instance>> instances_;
  Manner manner_ = Manner::run_group;
  const Spoil* spoil_ = nullptr;
  std::size_t spoiled_ = 0;  ///< the index of the wrong operation
  int victim_ = -1;          ///< the rank whose operation is wrong; -1: all
  bool deadline_ = false;
  std::uint32_t round_ = 0;
};

}  // namespace tutti::fuzz
