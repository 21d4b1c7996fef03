#pragma once

#include <functional>
#include <stdexcept>
#include <tutti/tutti.hpp>

namespace cg {

/// A failure that every rank knows of: all of them can end in the ordinary way. Any other exception
/// may have struck one rank alone, while the others wait for it in a collective.
class AgreedFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Does `work` on rank 0 alone, while the others wait. Collective.
/// @throws AgreedFailure on every rank, with the same text, if `work` throws.
void on_rank_zero(const tutti::Communicator& world, const std::function<void()>& work);

}  // namespace cg
