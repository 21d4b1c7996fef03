#pragma once

#include <functional>
#include <memory>

#include "core/bootstrap.hpp"
#include "cuda/stream.hpp"
#include "staged/stage.hpp"
#include "tutti/backend.hpp"

namespace tutti::staged {

/// The two streams of a relay, of one device.
struct Streams {
  cuda::Stream in{cuda::Legacy::ordered};
  cuda::Stream out{cuda::Legacy::ordered};
  cuda::Event mark;
};

/// Serves one kind of memory through a backend of the other kind: copies in, does it there, copies
/// out. A blocking call on much memory is cut into pieces, so that copies and the inner backend
/// work side by side. `start` returns once the data is copied in and the inner operation begun;
/// `enqueue` once all is done, still in the stream's order.
class StagedBackend final : public Backend {
 public:
  /// `why_not`: why it may not be used; empty if it may. `device`: where to copy from or to, asked
  /// for when first needed.
  StagedBackend(std::string name, Backend& inner, Route route, std::shared_ptr<Bootstrap> bootstrap,
                std::function<int()> device, std::string why_not);
  ~StagedBackend() override;

  std::string_view name() const noexcept override { return name_; }
  int rank() const noexcept override { return inner_.rank(); }
  int size() const noexcept override { return inner_.size(); }
  Support supports(const Operation& operation) const override;
  std::string algorithm(const Operation& operation) const override;
  void run(OperationList operations, Deadline deadline) override;
  std::unique_ptr<Task> prepare(OperationList operations) override;
  void enqueue(OperationList operations, cudaStream_t stream, Deadline deadline) override;

  // For the tasks.
  Backend& inner() noexcept { return inner_; }
  Route route() const noexcept { return route_; }
  int device() const { return device_(); }
  Streams& streams();
  /// Waits for `done()` while peers are served. @throws Error (timeout, aborted)
  void wait(const std::function<bool()>& done, Deadline deadline) const;
  /// @throws Error (unsupported) if the stream is being captured.
  void order_after(cudaStream_t stream);

  /// Bytes of one piece; for tests.
  static inline std::size_t piece_bytes = std::size_t{4} << 20;

 private:
  void run_in_pieces(const Operation& operation, std::size_t elements, std::size_t piece,
                     Deadline deadline);
  std::size_t elements_of_a_piece(const Operation& operation) const noexcept;

  std::string name_;
  Backend& inner_;
  Route route_;
  std::shared_ptr<Bootstrap> bootstrap_;
  std::function<int()> device_;
  std::string why_not_;
  std::unique_ptr<Streams> streams_;
};

}  // namespace tutti::staged
