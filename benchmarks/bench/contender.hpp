#pragma once

#include <tutti/communicator.hpp>

#include <memory>
#include <string>
#include <string_view>

#include "bench/collective.hpp"

namespace tutti::bench {

class DeviceStream;

/// A job made ready by a contender: done as often as wanted.
class Action {
 public:
  virtual ~Action() = default;
  /// One step of the job, or its beginning where it is ordered on a stream.
  virtual void run() = 0;
  /// Returns when everything begun is done; the end of a timed sample.
  virtual void finish() {}
};

/// One way to do the collectives: tutti, or a raw library beneath it.
class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string_view name() const noexcept = 0;
  /// Why this contender has no equivalent of the job; empty if it has one. Equal on all ranks.
  virtual std::string refusal(const Job& job) const = 0;
  /// The job and the memory must outlive the action. Collective.
  virtual std::unique_ptr<Action> prepare(const Job& job, const Ranges& ranges) const = 0;
};

/// tutti by the job's verb; `enqueue` puts its operations on `stream`, null where none is on a
/// device.
std::unique_ptr<Contender> make_tutti(const Communicator& communicator, const DeviceStream* stream);

/// The calls that an MPI programmer would write: blocking, and with `--verb start` the non-blocking
/// form and a wait. Works on a duplicate of its own.
std::unique_ptr<Contender> make_mpi(MPI_Comm comm);

/// The NCCL calls that a programmer would write, each waited for unless the verb is enqueue. On a
/// communicator of its own, and the stream that tutti is given too: another one would cost them
/// something that is not theirs. Collective.
std::unique_ptr<Contender> make_nccl(const Communicator& communicator, const DeviceStream& stream);

/// No library, but the floor: every rank copies the row's bytes once, all at the same time, between
/// ordinary memory of its own.
std::unique_ptr<Contender> make_memcpy();

}  // namespace tutti::bench
