#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "scenario.hpp"

namespace {

using scenario::device;
using scenario::host;

/** A stream that is busy until release(). */
class Gate {
 public:
  explicit Gate(cudaStream_t stream) { cudaLaunchHostFunc(stream, &Gate::wait, new Flag(open_)); }
  ~Gate() { release(); }
  void release() { *open_ = true; }

 private:
  // Shared, because the stream may still look at it after the gate is gone.
  using Flag = std::shared_ptr<std::atomic<bool>>;

  static void wait(void* data) {
    const std::unique_ptr<Flag> open(static_cast<Flag*>(data));
    while (!**open) std::this_thread::yield();
  }

  const Flag open_ = std::make_shared<std::atomic<bool>>(false);
};

cudaStream_t make_stream(unsigned flags) {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, flags), cudaSuccess);
  return stream;
}

TEST(FakeCudartTest, pointers_are_told_apart) {
  void *gpu = nullptr, *pinned = nullptr, *managed = nullptr;
  ASSERT_EQ(cudaSetDevice(3), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&gpu, 100), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(&pinned, 100, 0), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 100, cudaMemAttachGlobal), cudaSuccess);
  int local = 0;
  cudaPointerAttributes found{};
  ASSERT_EQ(cudaPointerGetAttributes(&found, static_cast<char*>(gpu) + 99), cudaSuccess);
  EXPECT_EQ(found.type, cudaMemoryTypeDevice);
  EXPECT_EQ(found.device, 3);
  cudaPointerGetAttributes(&found, pinned);
  EXPECT_EQ(found.type, cudaMemoryTypeHost);
  cudaPointerGetAttributes(&found, managed);
  EXPECT_EQ(found.type, cudaMemoryTypeManaged);
  cudaPointerGetAttributes(&found, &local);
  EXPECT_EQ(found.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaFree(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(gpu), cudaSuccess);
  EXPECT_EQ(cudaFree(gpu), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  cudaGetLastError();
  cudaSetDevice(0);
}

TEST(FakeCudartTest, work_runs_after_the_call) {
  cudaStream_t stream = make_stream(cudaStreamNonBlocking);
  int* data = device<int>({1});
  Gate gate(stream);
  ASSERT_EQ(cudaMemsetAsync(data, 0, sizeof *data, stream), cudaSuccess);
  EXPECT_EQ(host(data, 1)[0], 1);  // nothing orders this read after the fill
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  gate.release();
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_EQ(host(data, 1)[0], 0);
  cudaGetLastError();
  cudaStreamDestroy(stream);
}

TEST(FakeCudartTest, legacy_stream_orders_blocking_streams_only) {
  cudaStream_t blocking = make_stream(cudaStreamDefault);
  cudaStream_t apart = make_stream(cudaStreamNonBlocking);
  {
    Gate gate(blocking);
    EXPECT_EQ(cudaStreamQuery(cudaStreamLegacy), cudaErrorNotReady);
    EXPECT_EQ(cudaStreamQuery(apart), cudaSuccess);
  }
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamLegacy), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(blocking), cudaSuccess);
  {
    Gate gate(cudaStreamLegacy);
    void* data = nullptr;
    cudaMalloc(&data, 4);
    cudaMemsetAsync(data, 0, 4, blocking);
    EXPECT_EQ(cudaStreamQuery(blocking), cudaErrorNotReady);
    EXPECT_EQ(cudaMemsetAsync(data, 0, 4, apart), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(apart), cudaSuccess);
  }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cudaGetLastError();
}

TEST(FakeCudartTest, per_thread_stream_is_the_threads_own) {
  Gate gate(cudaStreamPerThread);
  std::thread other([] { EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaSuccess); });
  other.join();
  EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
  gate.release();
  EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
}

TEST(FakeCudartTest, events_order_streams) {
  cudaStream_t first = make_stream(cudaStreamNonBlocking);
  cudaStream_t second = make_stream(cudaStreamNonBlocking);
  cudaEvent_t event = nullptr, late = nullptr;
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&late), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  Gate gate(first);
  EXPECT_EQ(cudaEventRecord(event, first), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(second, event, 0), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(late, second), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(late), cudaErrorNotReady);
  gate.release();
  EXPECT_EQ(cudaEventSynchronize(late), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, event, late), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
  cudaGetLastError();
}

TEST(FakeCudartTest, devices_and_handles_are_checked) {
  EXPECT_EQ(cudaSetDevice(8), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  cudaStream_t stream = make_stream(0);
  EXPECT_EQ(cudaEventRecord(event, stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  cudaDeviceProp first{}, second{};
  ASSERT_EQ(cudaGetDeviceProperties(&first, 0), cudaSuccess);
  ASSERT_EQ(cudaGetDeviceProperties(&second, 1), cudaSuccess);
  EXPECT_NE(std::string(first.uuid.bytes, 16), std::string(second.uuid.bytes, 16));
  cudaSetDevice(0);
  cudaGetLastError();
}

TEST(FakeCudartTest, a_host_function_must_not_call_cuda) {
  static std::atomic<int> seen{-1};
  cudaLaunchHostFunc(
      nullptr, [](void*) { seen = cudaDeviceSynchronize(); }, nullptr);
  cudaStreamSynchronize(nullptr);
  EXPECT_EQ(seen, cudaErrorNotPermitted);
}

TEST(FakeCudartTest, the_variant_for_cuda_12_has_its_own_names) {
  void* library = dlopen(FAKE_CUDART_12, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_NE(dlsym(library, "cudaGetDeviceProperties_v2"), nullptr);
  const auto version =
      reinterpret_cast<cudaError_t (*)(int*)>(dlsym(library, "cudaRuntimeGetVersion"));
  int number = 0;
  ASSERT_EQ(version(&number), cudaSuccess);
  EXPECT_EQ(number / 1000, 12);
}

}  // namespace
