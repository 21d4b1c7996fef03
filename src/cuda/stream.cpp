#include "cuda/stream.hpp"

#include "cuda/functions.hpp"

namespace tutti::cuda {

Event::Event() {
  TUTTI_CUDA(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming));
}

// A driver that is being unloaded has let go of everything already.
Event::~Event() {
  if (handle_ != nullptr && functions().cudaEventDestroy(handle_) != cudaSuccess) forget_error();
}

void Event::record(StreamHandle stream) {
  TUTTI_CUDA(cudaEventRecord(handle_, stream));
}

bool Event::done() const {
  return check_ready(functions().cudaEventQuery(handle_), "cudaEventQuery");
}

void Event::order(StreamHandle stream) const {
  TUTTI_CUDA(cudaStreamWaitEvent(stream, handle_, 0));
}

Stream::Stream(Legacy legacy) {
  const unsigned flags = legacy == Legacy::ordered ? cudaStreamDefault : cudaStreamNonBlocking;
  TUTTI_CUDA(cudaStreamCreateWithFlags(&handle_, flags));
}

Stream::~Stream() {
  if (handle_ != nullptr && functions().cudaStreamDestroy(handle_) != cudaSuccess) forget_error();
}

bool Stream::idle() const {
  return check_ready(functions().cudaStreamQuery(handle_), "cudaStreamQuery");
}

StreamHandle legacy_stream() noexcept {
  return cudaStreamLegacy;
}

bool is_default_stream(StreamHandle stream) noexcept {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

bool is_capturing(StreamHandle stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  // Asking the legacy stream while another one is captured is itself an error, and no capture.
  if (stream == nullptr || stream == cudaStreamLegacy) {
    if (functions().cudaStreamIsCapturing(stream, &status) != cudaSuccess) {
      forget_error();
      return false;
    }
    return status != cudaStreamCaptureStatusNone;
  }
  TUTTI_CUDA(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace tutti::cuda
