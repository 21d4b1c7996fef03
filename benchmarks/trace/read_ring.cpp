#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "diagnostics/record_file.hpp"
#include "trace/record.hpp"

namespace tutti::trace {
namespace {

namespace format = record_file;

template <std::size_t n>
std::string text_of(const char (&field)[n]) {
  return {field, strnlen(field, n)};
}

std::string_view word_of(format::State state) {
  switch (state) {
    case format::State::begun:
      return "begun";
    case format::State::done:
      return "done";
    case format::State::failed:
      return "failed";
    case format::State::refused:
      return "refused";
  }
  throw std::runtime_error("a call is in no state that there is");
}

void check_header(const format::Header& header) {
  if (std::memcmp(header.magic, format::magic, sizeof format::magic) != 0)
    throw std::runtime_error("this is no record of tutti");
  if (header.version != format::version)
    throw std::runtime_error(fmt::format("its version is {}, this tool reads version {}",
                                         header.version, format::version));
  if (header.record_size != sizeof(format::Record) || header.capacity != format::capacity)
    throw std::runtime_error("its layout is another than that of its version");
}

void check_enumerators(const Activity& activity, Verb verb) {
  if (activity.kind > OperationKind::barrier || activity.type > DataType::byte ||
      activity.reduction > ReduceOp::Kind::user || verb > Verb::window)
    throw std::runtime_error("a call is of no kind that there is");
}

Call call_of(const format::Record& record, const format::Header& header) {
  Call call;
  call.number = record.number;
  call.communicator = record.communicator;
  call.step = record.step;
  call.begin = format::wall_time(header, record.begin);
  const std::int64_t end = record.end;
  call.end = end == 0 ? 0 : format::wall_time(header, end);
  call.rank = record.rank;
  call.size = record.size;
  call.activity = unpack(record.activity);
  const format::Course course(record.course);
  check_enumerators(call.activity, course.verb);
  call.verb = to_string(course.verb);
  call.backend = course.backend;
  call.state = word_of(course.state);
  return call;
}

}  // namespace

Record read_ring(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("it cannot be opened");
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  if (bytes.size() != format::file_size)
    throw std::runtime_error(
        fmt::format("it has {} bytes where a record has {}", bytes.size(), format::file_size));
  const auto& header = *reinterpret_cast<const format::Header*>(bytes.data());
  check_header(header);
  const auto* const ring = reinterpret_cast<const format::Record*>(&bytes[format::header_size]);

  Record record;
  record.file = file.filename().string();
  record.host = text_of(header.host);
  record.process = header.process;
  record.world_rank = header.world_rank;
  record.world_size = header.world_size;
  record.opened = header.opened.wall;
  record.alive = header.alive.wall;
  record.ended = text_of(header.ended);
  record.last_error = text_of(header.last_error);
  for (std::uint32_t i = 0; i < format::capacity; ++i)
    if (ring[i].number != 0) record.calls.push_back(call_of(ring[i], header));
  std::sort(record.calls.begin(), record.calls.end(),
            [](const Call& a, const Call& b) { return a.number < b.number; });
  return record;
}

}  // namespace tutti::trace
