#include "diagnostics/record_json.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

namespace tutti::record_file {

namespace {

/// Text to a file through memory of its own.
class Output {
 public:
  explicit Output(int descriptor) noexcept : descriptor_(descriptor) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { flush(); }

  Output& raw(std::string_view words) noexcept {
    for (const char letter : words) {
      if (used_ == sizeof buffer_) flush();
      buffer_[used_++] = letter;
    }
    return *this;
  }
  template <class Number>
  Output& number(Number value) noexcept {
    char digits[24];
    const auto result = std::to_chars(digits, digits + sizeof digits, value);
    return raw({digits, static_cast<std::size_t>(result.ptr - digits)});
  }
  Output& quoted(std::string_view words) noexcept;
  Output& key(std::string_view name) noexcept { return raw("\"").raw(name).raw("\": "); }

 private:
  // Nothing can be done about a file that takes no more.
  void flush() noexcept {
    std::size_t written = 0;
    while (written < used_) {
      const auto count = write(descriptor_, buffer_ + written, used_ - written);
      if (count <= 0) break;
      written += static_cast<std::size_t>(count);
    }
    used_ = 0;
  }

  int descriptor_;
  std::size_t used_ = 0;
  char buffer_[4096];
};

// Texts come from tutti, from MPI and from the environment: anything beyond ASCII may be anything.
Output& Output::quoted(std::string_view words) noexcept {
  raw("\"");
  for (const char letter : words) {
    if (letter == '"' || letter == '\\')
      raw("\\").raw({&letter, 1});
    else if (letter == '\n')
      raw("\\n");
    else
      raw(letter < ' ' || letter > '~' ? std::string_view("?") : std::string_view(&letter, 1));
  }
  return raw("\"");
}

std::string_view until_zero(const char* text, std::size_t size) noexcept {
  return {text, strnlen(text, size)};
}

std::string_view word_of(State state) noexcept {
  switch (state) {
    case State::begun:
      return "begun";
    case State::done:
      return "done";
    case State::failed:
      return "failed";
    case State::refused:
      return "refused";
  }
  return "unknown";
}

void write_record(Output& out, const Record& record, const Header& header) noexcept {
  const Activity what = unpack(record.activity);
  const Course course(record.course.load(std::memory_order_acquire));
  const std::int64_t end = record.end.load(std::memory_order_relaxed);
  out.raw("{").key("number").number(record.number.load(std::memory_order_relaxed));
  out.raw(", ").key("communicator").number(record.communicator);
  out.raw(", ").key("rank").number(record.rank).raw(", ").key("size").number(record.size);
  out.raw(", ").key("step").number(record.step);
  out.raw(", ").key("verb").quoted(to_string(course.verb));
  out.raw(", ").key("operation").quoted(to_string(what.kind));
  out.raw(", ").key("count").number(what.count);
  out.raw(", ").key("type").quoted(what.has_data ? to_string(what.type) : "");
  out.raw(", ").key("reduction").quoted(to_string(what.reduction));
  out.raw(", ").key("peer").number(what.peer).raw(", ").key("source").number(what.source);
  out.raw(", ").key("group").number(what.group);
  out.raw(", ").key("backend").quoted(course.backend);
  out.raw(", ").key("state").quoted(word_of(course.state));
  out.raw(", ").key("begin").number(wall_time(header, record.begin)).raw(", ").key("end");
  if (end == 0)
    out.raw("null}");
  else
    out.number(wall_time(header, end)).raw("}");
}

void write_header(Output& out, const Header& header) noexcept {
  out.key("schema_version").number(version).raw(",\n");
  out.key("host").quoted(until_zero(header.host, sizeof header.host)).raw(",\n");
  out.key("process").number(header.process).raw(",\n");
  out.key("world_rank").number(header.world_rank).raw(",\n");
  out.key("world_size").number(header.world_size).raw(",\n");
  out.key("opened_at").number(header.opened.wall).raw(",\n");
  out.key("alive_at").number(header.alive.wall).raw(",\n");
  out.key("ended").quoted(until_zero(header.ended, sizeof header.ended)).raw(",\n");
  out.key("last_error").quoted(until_zero(header.last_error, sizeof header.last_error));
}

}  // namespace

void write_json(int descriptor, const Header& header, const Record* records) noexcept {
  Output out(descriptor);
  out.raw("{\n");
  write_header(out, header);
  out.raw(",\n").key("records").raw("[");
  const std::uint64_t newest = header.newest.load(std::memory_order_acquire);
  const std::uint64_t oldest = newest > capacity ? newest - capacity + 1 : 1;
  std::string_view separator = "\n";
  for (std::uint64_t number = oldest; number <= newest; ++number) {
    const Record& record = records[(number - 1) % capacity];
    if (record.number.load(std::memory_order_acquire) != number) continue;
    out.raw(separator);
    write_record(out, record, header);
    separator = ",\n";
  }
  out.raw("\n]\n}\n");
}

}  // namespace tutti::record_file
