#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "core/abort_flag.hpp"
#include "tutti/backend.hpp"
#include "tutti/error.hpp"
#include "tutti/options.hpp"

namespace tutti {

/// What a device backend needs of whoever brought the ranks together: a few small collectives,
/// called by all ranks in the same order. Keeps MPI out of the device backends.
class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  virtual int rank() const noexcept = 0;
  virtual int size() const noexcept = 0;
  /// Among the ranks of this node: what a device is chosen by.
  virtual int local_rank() const noexcept = 0;
  virtual int local_size() const noexcept = 0;
  virtual const Options& options() const noexcept = 0;
  virtual const detail::AbortFlag& abort_flag() const noexcept = 0;

  // Each throws Error (timeout) when the deadline passes before all ranks took part.
  virtual void broadcast(void* data, std::size_t bytes, int root, Deadline deadline) = 0;
  virtual void all_gather(const void* mine, void* all, std::size_t bytes, Deadline deadline) = 0;
  virtual void barrier(Deadline deadline) = 0;

  /// Between these two, a rank that fails alone tells the others, who see it without waiting.
  virtual void open_notices() = 0;
  virtual void notify() = 0;
  virtual bool noticed() = 0;
  /// Ends it and agrees: all ranks return, or all throw the failure of the lowest rank that has
  /// one.
  virtual void agree(const std::optional<Error>& failure) = 0;

  /// Moves on what other ranks may be waiting for. Cheap when there is nothing.
  virtual void progress() noexcept = 0;
  /// The process can no longer communicate: what is left is given up quietly.
  virtual bool over() const noexcept = 0;
};

}  // namespace tutti
