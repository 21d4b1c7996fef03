#pragma once

#include <mpi.h>

#include <vector>

#include "core/bootstrap.hpp"
#include "mpi/session.hpp"

namespace tutti::mpi {

/// The collectives of a session for backends that know no MPI.
class MpiBootstrap : public Bootstrap {
 public:
  explicit MpiBootstrap(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  int rank() const noexcept override { return session_->rank(); }
  int size() const noexcept override { return session_->size(); }
  int local_rank() const noexcept override { return session_->local_rank(); }
  int local_size() const noexcept override { return session_->local_size(); }
  const Options& options() const noexcept override { return session_->options(); }
  const detail::AbortFlag& abort_flag() const noexcept override { return *session_->abort_flag(); }

  void broadcast(void* data, std::size_t bytes, int root, Deadline deadline) override;
  void all_gather(const void* mine, void* all, std::size_t bytes, Deadline deadline) override;
  void barrier(Deadline deadline) override;
  void open_notices() override;
  void notify() override;
  bool noticed() override;
  void agree(const std::optional<Error>& failure) override;
  void progress() noexcept override;
  bool over() const noexcept override;

 private:
  using Memory = std::shared_ptr<std::vector<std::byte>>;
  void finish(MPI_Request& request, const Memory& memory, Deadline deadline, const char* step);

  std::shared_ptr<Session> session_;
  int notice_tag_ = -1;
  bool told_ = false;
  std::vector<MPI_Request> notices_;
};

}  // namespace tutti::mpi
