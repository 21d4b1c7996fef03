#pragma once

#include "tutti/detail/export.hpp"

namespace tutti {

/// MPI's thread levels, in its order.
enum class ThreadLevel { single, funneled, serialized, multiple };

/// Initialises MPI unless somebody has, and finalises it only if it did so itself, when the last
/// Environment of the process goes. Safe to make from several threads at once. Not thread-bound.
class TUTTI_API Environment {
 public:
  /// Takes whatever thread level the application chose; MPI_THREAD_SERIALIZED is asked for if MPI
  /// is yet to be initialised.
  /// @throws Error (mpi) if MPI is finalised already or its initialisation fails.
  Environment(int& argc, char**& argv);
  Environment();

  /// Needs at least `required`.
  /// @throws Error (unsupported), naming both levels, if MPI provides less.
  Environment(int& argc, char**& argv, ThreadLevel required);
  explicit Environment(ThreadLevel required);

  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment();

  /// The level that MPI provides.
  ThreadLevel thread_level() const noexcept { return level_; }

 private:
  ThreadLevel level_;
};

}  // namespace tutti
