#include "bench/workspace.hpp"

#include <algorithm>

namespace tutti::bench {
namespace {

/// Elements that pass through host memory at a time.
constexpr std::size_t chunk = 64 * 1024;

bool uses_one_buffer(const Job& job) {
  return job.in_place || job.collective->one_buffer;
}

template <class View>
View view(const Job& job, const Buffer& buffer, MemoryKind kind, std::size_t at,
          std::size_t count) {
  View result;
  if (count == 0 && job.total != 0) return result;  // this side does not matter on this rank
  result.data = static_cast<std::byte*>(buffer.data()) + at * size_of(job.type);
  result.count = count;
  result.type = job.type;
  result.kind = kind;
  result.given = true;
  return result;
}

}  // namespace

std::size_t bytes_needed(const Job& job) {
  const Layout layout = job.collective->layout(job);
  const std::size_t elements = uses_one_buffer(job) ? layout.data : layout.send + layout.receive;
  return elements * size_of(job.type);
}

Workspace::Workspace(const Job& job, const Memory& memory)
    : job_(job), layout_(job.collective->layout(job)), one_buffer_(uses_one_buffer(job)) {
  const std::size_t width = size_of(job.type);
  first_ = memory.allocate((one_buffer_ ? layout_.data : layout_.send) * width);
  if (!one_buffer_) second_ = memory.allocate(layout_.receive * width);
  const Buffer& receive = one_buffer_ ? *first_ : *second_;
  const MemoryKind kind = memory.kind();
  const std::size_t receive_at = one_buffer_ ? layout_.receive_at : 0;
  ranges_.send =
      view<SendView>(job, *first_, kind, one_buffer_ ? layout_.send_at : 0, layout_.send);
  ranges_.receive = view<ReceiveView>(job, receive, kind, receive_at, layout_.receive);
  if (one_buffer_) ranges_.data = view<ReceiveView>(job, receive, kind, 0, layout_.data);
}

void Workspace::poison_all(Buffer& buffer, std::size_t count) const {
  const std::size_t width = size_of(job_.type);
  const std::vector<unsigned char> bytes(std::min(count, chunk) * width, poison);
  for (std::size_t done = 0; done < count; done += chunk)
    buffer.write(done * width, bytes.data(), std::min(chunk, count - done) * width);
}

void Workspace::fill(Pattern& pattern) {
  const std::size_t width = size_of(job_.type);
  poison_all(one_buffer_ ? *first_ : *second_, one_buffer_ ? layout_.data : layout_.receive);
  const std::size_t begin = one_buffer_ ? layout_.send_at : 0;
  std::vector<std::byte> staging(std::min(layout_.send, chunk) * width);
  for (std::size_t done = 0; done < layout_.send; done += chunk) {
    const std::size_t count = std::min(chunk, layout_.send - done);
    pattern.fill(job_.rank, done, staging.data(), count);
    first_->write((begin + done) * width, staging.data(), count * width);
  }
}

std::size_t Workspace::count_wrong(Pattern& pattern) const {
  const std::size_t width = size_of(job_.type);
  const Buffer& result = one_buffer_ ? *first_ : *second_;
  std::vector<std::byte> staging(chunk * width);
  std::size_t wrong = 0;
  for (const Segment& segment : job_.collective->expected(job_))
    for (std::size_t done = 0; done < segment.count; done += chunk) {
      const std::size_t count = std::min(chunk, segment.count - done);
      result.read((segment.at + done) * width, staging.data(), count * width);
      wrong += pattern.mismatches(segment, done, staging.data(), count);
    }
  return wrong;
}

}  // namespace tutti::bench
