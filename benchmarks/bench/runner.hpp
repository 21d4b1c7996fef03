#pragma once

#include <tutti/communicator.hpp>

#include <functional>
#include <vector>

#include "bench/agreement.hpp"
#include "bench/contender.hpp"
#include "bench/device_runtime.hpp"
#include "bench/memory.hpp"
#include "bench/row.hpp"
#include "bench/settings.hpp"
#include "bench/workspace.hpp"

namespace tutti::bench {

/// Measures one job after the other. All calls are collective, and give every rank the same row.
/// Not thread-safe.
class Runner {
 public:
  Runner(const Settings& settings, const Communicator& communicator, const Memory& memory,
         MPI_Comm comm);

  /// Never throws for a failure of the measured operation: that is told in the row.
  Row measure(const Job& job);

 private:
  struct Attempt;
  Row describe(const Job& job) const;
  std::string prepare(const Job& job, Attempt& attempt, Row& row);
  void name_server(const Operation& operation, const Job& job, Row& row) const;
  std::string verify(const Job& job, Attempt& attempt, Row& row);
  std::string time(const Job& job, Attempt& attempt, Row& row);
  void enter(const Measurement& measurement, const Job& job, Row& row) const;

  const Settings& settings_;
  const Communicator& communicator_;
  const Memory& memory_;
  OwnComm comm_;
  Agreement agreement_;
  Timer timer_;
  std::unique_ptr<DeviceStream> stream_;  // the caller's; null for host memory
  std::unique_ptr<Contender> tutti_;
  std::unique_ptr<Contender> raw_;
  std::uint64_t seed_ = 0;
};

}  // namespace tutti::bench
