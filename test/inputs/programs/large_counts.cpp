// Cases 38, 40: counts, and counts times ranks, beyond 2^31. Needs some 6 GiB in all.
// Arguments: "broadcast" or "all_gather".
#include <cstddef>
#include <memory>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

namespace {

constexpr std::size_t two_gib = std::size_t{1} << 31;

// malloc, so that pages that nobody touches cost nothing.
struct Memory {
  explicit Memory(std::size_t size)
      : bytes(static_cast<unsigned char*>(std::malloc(size)), std::free) {
    require(bytes != nullptr, "no memory");
  }
  unsigned char& operator[](std::size_t i) { return bytes.get()[i]; }
  std::unique_ptr<unsigned char, void (*)(void*)> bytes;
};

struct View {
  unsigned char* first;
  std::size_t count;
  unsigned char* data() const { return first; }
  std::size_t size() const { return count; }
};

void broadcast(const tutti::Communicator& world) {
  constexpr std::size_t count = two_gib + 16;
  Memory memory(count);
  const std::size_t probes[] = {0, two_gib - 1, two_gib, count - 1};
  for (const std::size_t i : probes) memory[i] = 9;
  if (world.rank() == 1)
    for (std::size_t i = 0; i < 4; ++i) memory[probes[i]] = static_cast<unsigned char>(i + 1);
  View view{memory.bytes.get(), count};
  world.broadcast(view, 1);
  for (std::size_t i = 0; i < 4; ++i) require(memory[probes[i]] == i + 1, "wrong byte");
}

void all_gather(const tutti::Communicator& world) {
  constexpr std::size_t count = two_gib / 2 + 8;
  const auto ranks = static_cast<std::size_t>(world.size());
  Memory in(count), out(count * ranks);
  in[0] = static_cast<unsigned char>(world.rank() + 1);
  in[count - 1] = static_cast<unsigned char>(world.rank() + 101);
  View from{in.bytes.get(), count}, to{out.bytes.get(), count * ranks};
  world.all_gather(from, to);
  for (std::size_t r = 0; r < ranks; ++r) {
    require(out[r * count] == r + 1, "wrong first byte of a block");
    require(out[(r + 1) * count - 1] == r + 101, "wrong last byte of a block");
  }
}

}  // namespace

int main(int argc, char** argv) {
  tutti::Environment environment(argc, argv);
  require_expected_size();
  const tutti::Communicator world(MPI_COMM_WORLD);
  const std::string what = argc > 1 ? argv[1] : "";
  require(what == "broadcast" || what == "all_gather", "which?");
  if (what == "broadcast")
    broadcast(world);
  else
    all_gather(world);
  return 0;
}
