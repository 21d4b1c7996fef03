#include <thread>

#include "scenario.hpp"

namespace {

using scenario::device;
using scenario::host;

class FakeCaptureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event_, cudaEventDisableTiming);
  }
  void TearDown() override { cudaGetLastError(); }

  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, mode), cudaSuccess);
  }
  cudaError_t end() { return cudaStreamEndCapture(stream_, &graph_); }

  cudaStream_t stream_ = nullptr, other_ = nullptr;
  cudaEvent_t event_ = nullptr;
  cudaGraph_t graph_ = nullptr;
};

TEST_F(FakeCaptureTest, nothing_runs_before_the_launch_and_each_launch_runs_it) {
  int* data = device<int>({7, 0});
  begin();
  cudaMemcpyAsync(data + 1, data, sizeof(int), cudaMemcpyDeviceToDevice, stream_);
  ASSERT_EQ(end(), cudaSuccess);
  cudaGraphExec_t replay = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&replay, graph_, 0), cudaSuccess);
  cudaGraphDestroy(graph_);
  EXPECT_EQ(host(data, 2)[1], 0);
  for (const int value : {7, 9}) {
    cudaMemcpy(data, &value, sizeof value, cudaMemcpyHostToDevice);
    ASSERT_EQ(cudaGraphLaunch(replay, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(host(data, 2)[1], value);
  }
  EXPECT_EQ(cudaGraphExecDestroy(replay), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(replay, stream_), cudaErrorInvalidValue);
}

TEST_F(FakeCaptureTest, forbidden_calls_spoil_the_capture) {
  begin();
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorStreamCaptureUnsupported);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(stream_, &status);
  EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  begin();
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  begin();
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 8), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  begin(cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaMalloc(&pointer, 8), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
}

TEST_F(FakeCaptureTest, a_query_or_wait_anywhere_spoils_the_threads_capture) {
  begin();
  EXPECT_EQ(cudaStreamQuery(other_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  begin();
  EXPECT_EQ(cudaEventSynchronize(event_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  begin();
  cudaEventRecord(event_, stream_);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorCapturedEvent);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(FakeCaptureTest, mode_decides_what_other_threads_may_do) {
  const auto query_elsewhere = [this] {
    cudaError_t result = cudaSuccess;
    std::thread([&] { result = cudaEventQuery(event_); }).join();
    return result;
  };
  begin(cudaStreamCaptureModeGlobal);
  EXPECT_EQ(query_elsewhere(), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  begin(cudaStreamCaptureModeThreadLocal);
  EXPECT_EQ(query_elsewhere(), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
  begin(cudaStreamCaptureModeGlobal);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  EXPECT_EQ(cudaEventQuery(event_), cudaSuccess);
  cudaThreadExchangeStreamCaptureMode(&mode);
  EXPECT_EQ(end(), cudaSuccess);
}

TEST_F(FakeCaptureTest, events_fork_and_join) {
  int* data = device<int>({1});
  begin();
  cudaEventRecord(event_, stream_);
  ASSERT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaSuccess);
  cudaMemsetAsync(data, 0, sizeof *data, other_);
  EXPECT_EQ(end(), cudaErrorStreamCaptureUnjoined);
  begin();
  cudaEventRecord(event_, stream_);
  cudaStreamWaitEvent(other_, event_, 0);
  cudaMemsetAsync(data, 0, sizeof *data, other_);
  cudaEventRecord(event_, other_);
  ASSERT_EQ(cudaStreamWaitEvent(stream_, event_, 0), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorInvalidValue);  // its capture is over
}

TEST_F(FakeCaptureTest, legacy_stream_is_refused_beside_a_blocking_capture) {
  cudaStream_t blocking = nullptr;
  cudaStreamCreate(&blocking);
  int* data = device<int>({1});
  ASSERT_EQ(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(data, 0, 4, nullptr), cudaErrorStreamCaptureImplicit);
  EXPECT_EQ(cudaStreamEndCapture(blocking, &graph_), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed),
            cudaErrorStreamCaptureUnsupported);
}

}  // namespace
