// Stands for the CUDA runtime in a build without CUDA's headers.
#include "cuda/memory.hpp"
#include "cuda/runtime.hpp"
#include "tutti/error.hpp"

namespace tutti {

int device_count() noexcept {
  return 0;
}

namespace cuda {

const std::string& why_unavailable() noexcept {
  static const std::string& why =
      *new std::string("tutti was built without the headers of CUDA and NCCL");
  return why;
}

namespace {
[[noreturn]] void refuse() {
  throw Error(Errc::library, why_unavailable());
}
}  // namespace

LoadedLibrary runtime_library() {
  return {"", "", "", why_unavailable()};
}
std::string driver_version() noexcept {
  return {};
}
bool opened() noexcept {
  return false;
}
int count_devices() noexcept {
  return 0;
}
std::string why_no_device() {
  return why_unavailable();
}
Uuid uuid_of(int) {
  refuse();
}
std::string bus_id_of(int) {
  refuse();
}
int capability_of(int) {
  refuse();
}
DeviceProperties properties_of(int) {
  refuse();
}
int current_device() {
  refuse();
}
void set_current_device(int) {
  refuse();
}

void DeviceGuard::restore() noexcept {
  static_cast<void>(before_);
}
RelaxedCapture::RelaxedCapture() : mode_(0) {
  refuse();
}
RelaxedCapture::~RelaxedCapture() {
  static_cast<void>(mode_);
}

Event::Event() {
  refuse();
}
Event::~Event() = default;
void Event::record(StreamHandle) {
  refuse();
}
bool Event::done() const {
  refuse();
}
void Event::order(StreamHandle) const {
  refuse();
}
Stream::Stream(Legacy) {
  refuse();
}
Stream::~Stream() = default;
bool Stream::idle() const {
  refuse();
}
StreamHandle legacy_stream() noexcept {
  return nullptr;
}
bool is_default_stream(StreamHandle stream) noexcept {
  return stream == nullptr;
}
bool is_capturing(StreamHandle) {
  refuse();
}

Placement placement_of(const void*) {
  return {};
}
bool device_memory_possible() noexcept {
  return false;
}
void* allocate_device(std::size_t) {
  refuse();
}
void free_device(void*) noexcept {}
void* allocate_on(StreamHandle, std::size_t) {
  refuse();
}
void free_on(StreamHandle, void*) noexcept {}
void* allocate_pinned(std::size_t) {
  refuse();
}
void free_pinned(void*) noexcept {}
void copy_on(StreamHandle, void*, const void*, std::size_t) {
  refuse();
}

}  // namespace cuda
}  // namespace tutti
