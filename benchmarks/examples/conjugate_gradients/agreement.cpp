#include "agreement.hpp"

#include <cstddef>
#include <exception>
#include <span>
#include <string>

namespace cg {

void on_rank_zero(const tutti::Communicator& world, const std::function<void()>& work) {
  std::string failure;
  bool failed = false;
  if (world.rank() == 0) {
    try {
      work();
    } catch (const std::exception& error) {
      failure = error.what();
      failed = true;
    }
  }
  std::size_t length = failure.size();
  world.run(
      {tutti::broadcast(std::span(&failed, 1), 0), tutti::broadcast(std::span(&length, 1), 0)});
  if (!failed) return;
  failure.resize(length);
  world.broadcast(failure, 0);
  throw AgreedFailure(failure);
}

}  // namespace cg
