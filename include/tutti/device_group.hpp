#pragma once

#include <memory>
#include <vector>

#include "tutti/detail/export.hpp"
#include "tutti/device.hpp"
#include "tutti/operation.hpp"
#include "tutti/options.hpp"

namespace tutti {

class Communicator;

/// Several devices of one process, each a rank of its own among all devices of all processes. Needs
/// NCCL; nothing is staged. Operations are numbered by those ranks: roots, peers, blocks.
class TUTTI_API DeviceGroup {
 public:
  /// The devices of this process alone; no MPI is needed. @throws Error: `unsupported` with the
  /// reason if NCCL cannot serve, `invalid_argument` for a device that is not there or given twice.
  explicit DeviceGroup(const std::vector<int>& devices, const Options& options = {});
  /// Collective: those of all of the communicator's ranks, in rank order; numbers may differ. All
  /// ranks have it, or all throw.
  DeviceGroup(const Communicator& communicator, const std::vector<int>& devices);
  DeviceGroup(DeviceGroup&&) noexcept;
  DeviceGroup& operator=(DeviceGroup&&) noexcept;
  ~DeviceGroup();

  /// Devices of all processes, and of this one.
  int size() const noexcept;
  int local_size() const noexcept;
  /// Of this process's i-th device.
  int rank(int i) const;
  Device device(int i) const;

  /// One operation for each local device, all at once; on return the results are there.
  void run(const std::vector<Operation>& operations);
  /// The same, each put on the stream of its device.
  void enqueue(const std::vector<Operation>& operations, const std::vector<cudaStream_t>& streams);

  /// The operation of one device, for a thread that looks after it: each device's thread calls its
  /// own. Not at the same time as the calls for all.
  void run_one(int i, const Operation& operation);
  void enqueue_one(int i, const Operation& operation, cudaStream_t stream);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace tutti
