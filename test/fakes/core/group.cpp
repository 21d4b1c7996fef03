#include "core/group.hpp"

#include <algorithm>
#include <thread>

#include "core/script.hpp"

namespace fake {
namespace {

/** What one communicator does in one group. */
struct Batch {
  CommPtr comm;
  std::vector<Operation> operations;
  std::vector<StreamPtr> streams;
  const Statement* progress = nullptr;
};

struct Group {
  int depth = 0;
  ncclResult_t error = ncclSuccess;
  std::vector<Batch> batches;
  std::vector<std::function<ncclResult_t()>> jobs;
};

thread_local Group group;

/** The ticket is taken where the work is submitted or its graph launched, not where it runs. */
Work work_of(const CommPtr& comm, const std::vector<Operation>& operations) {
  return [comm, operations]() -> Task::Body {
    const std::uint64_t ticket = comm->take_ticket();
    return [comm, operations, ticket] {
      if (!comm->wait_turn(ticket)) return;
      execute(*comm, operations);
      comm->end_turn(ticket);
    };
  };
}

cudaError_t capture_across(const std::vector<StreamPtr>& streams, const Work& work) {
  const auto capture = streams.front()->capture;
  std::vector<std::size_t> after;
  for (const auto& stream : streams) {
    if (stream->capture != capture) return cudaErrorStreamCaptureIsolation;
    after.insert(after.end(), stream->capture_after.begin(), stream->capture_after.end());
  }
  if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
  const std::size_t node = capture->graph->add(work, after);
  for (const auto& stream : streams) stream->capture_after = {node};
  return cudaSuccess;
}

/** Several streams in one group wait for one another, as NCCL makes them. */
cudaError_t submit_across(const std::vector<StreamPtr>& streams, const Work& work) {
  if (streams.size() == 1) return submit(streams.front(), work);
  const std::lock_guard lock(engine_mutex());
  const auto capturing = [](const StreamPtr& stream) { return stream->capture != nullptr; };
  if (std::any_of(streams.begin(), streams.end(), capturing)) return capture_across(streams, work);
  std::vector<TaskPtr> after;
  for (const auto& stream : streams) {
    const cudaError_t error = check_implicit_locked(stream);
    if (error != cudaSuccess) return error;
    if (stream->tail) after.push_back(stream->tail);
  }
  const TaskPtr task = push_locked(streams.front(), work(), after);
  for (std::size_t i = 1; i < streams.size(); ++i) push_locked(streams[i], nullptr, {task});
  return cudaSuccess;
}

ncclResult_t submit_batch(const Batch& batch) {
  const cudaError_t error = submit_across(batch.streams, work_of(batch.comm, batch.operations));
  if (error == cudaSuccess) return ncclSuccess;
  batch.comm->set_last_error("the fake CUDA runtime refused the work: error " +
                             std::to_string(static_cast<int>(error)));
  return ncclUnhandledCudaError;
}

ncclResult_t launch(const Batch& batch) {
  if (batch.progress == nullptr || batch.comm->blocking) return submit_batch(batch);
  auto polls = static_cast<int>(batch.progress->number("polls", 1));
  if (polls == 0) polls = 1;
  // Not on the stream before the caller has polled to the end: an event recorded earlier is early.
  batch.comm->begin_progress(polls, batch.progress, [batch] {
    if (batch.progress->number("code", 0) == 0) submit_batch(batch);
  });
  return ncclInProgress;
}

Batch& batch_of(std::vector<Batch>& batches, const CommPtr& comm) {
  for (Batch& batch : batches) {
    if (batch.comm == comm) return batch;
  }
  batches.push_back({comm, {}, {}, nullptr});
  return batches.back();
}

/** The worst result; in progress beats success. */
ncclResult_t worse(ncclResult_t a, ncclResult_t b) {
  const auto rank = [](ncclResult_t r) {
    return r == ncclSuccess ? 0 : r == ncclInProgress ? 1 : 2;
  };
  return rank(b) > rank(a) ? b : a;
}

/** Side by side, because each waits for its peers, which may be jobs of the same group. */
ncclResult_t run_jobs(const std::vector<std::function<ncclResult_t()>>& jobs) {
  std::vector<ncclResult_t> results(jobs.size(), ncclSuccess);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    threads.emplace_back([&results, &jobs, i] { results[i] = jobs[i](); });
  }
  for (auto& thread : threads) thread.join();
  ncclResult_t result = ncclSuccess;
  for (const ncclResult_t one : results) result = worse(result, one);
  return result;
}

}  // namespace

bool in_group() {
  return group.depth > 0;
}
void group_start() {
  ++group.depth;
}

void group_failed(ncclResult_t code) {
  if (in_group() && group.error == ncclSuccess) group.error = code;
}

ncclResult_t group_drop() {
  if (group.depth == 0) return ncclInvalidUsage;
  if (--group.depth > 0) return ncclSuccess;
  const ncclResult_t error = group.error;
  group = {};
  return error;
}

ncclResult_t group_end() {
  if (group.depth == 0) return ncclInvalidUsage;
  if (--group.depth > 0) return ncclSuccess;
  Group finished;
  std::swap(finished, group);
  if (finished.error != ncclSuccess) return finished.error;
  ncclResult_t result = run_jobs(finished.jobs);
  for (const Batch& batch : finished.batches) result = worse(result, launch(batch));
  return result;
}

ncclResult_t add_operation(const CommPtr& comm, const char* function, const Operation& operation,
                           const StreamPtr& stream) {
  std::vector<Batch> alone;
  Batch& batch = batch_of(in_group() ? group.batches : alone, comm);
  batch.operations.push_back(operation);
  const auto known = std::find(batch.streams.begin(), batch.streams.end(), stream);
  if (known == batch.streams.end()) batch.streams.push_back(stream);
  if (const Statement* progress = Script::get().find("progress", function, comm->rank)) {
    batch.progress = progress;
  }
  return in_group() ? ncclSuccess : launch(batch);
}

ncclResult_t add_job(std::function<ncclResult_t()> job) {
  if (!in_group()) return job();
  group.jobs.push_back(std::move(job));
  return ncclSuccess;
}

}  // namespace fake
