#pragma once

#include <memory>
#include <vector>

#include "core/bootstrap.hpp"
#include "tutti/device_group.hpp"

namespace tutti {

/// The members of a DeviceGroup; behind it unavailable.cpp in a build without NCCL's headers.
struct DeviceGroup::State {
  virtual ~State() = default;
  virtual int size() const noexcept = 0;
  virtual int local_size() const noexcept = 0;
  virtual int rank(int i) const = 0;
  virtual Device device(int i) const = 0;
  /// An operation for each of the members from `first` on. Streams: none for `run`.
  virtual void run(int first, OperationList operations) = 0;
  virtual void enqueue(int first, OperationList operations, const cudaStream_t* streams) = 0;
};

namespace nccl {
std::unique_ptr<DeviceGroup::State> make_group(std::shared_ptr<Bootstrap> bootstrap,
                                               const std::vector<int>& devices);
}  // namespace nccl

}  // namespace tutti
