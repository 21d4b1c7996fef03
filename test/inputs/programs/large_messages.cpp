// Case 34: messages beyond the size from which MPI reads another process's memory directly. Every
// byte is compared; large_messages.sh looks at what MPI says meanwhile.
#include <cstdint>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

namespace {

constexpr std::size_t four_mib = std::size_t{1} << 22;

std::uint32_t word(std::size_t i, int rank) {
  return (static_cast<std::uint32_t>(i) * 2654435761U) ^ static_cast<std::uint32_t>(rank * 77);
}

std::vector<std::uint32_t> words_of(int rank) {
  std::vector<std::uint32_t> words(four_mib / sizeof(std::uint32_t));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = word(i, rank);
  return words;
}

void broadcast(const tutti::Communicator& world, int root) {
  auto data = words_of(world.rank());
  world.broadcast(data, root);
  for (std::size_t i = 0; i < data.size(); ++i)
    require(data[i] == word(i, root), "a broadcast word");
}

void all_reduce(const tutti::Communicator& world) {
  auto data = words_of(world.rank());
  world.all_reduce(data, tutti::sum);
  for (std::size_t i = 0; i < data.size(); ++i) {
    std::uint32_t expected = 0;
    for (int r = 0; r < world.size(); ++r) expected += word(i, r);
    require(data[i] == expected, "a summed word");
  }
}

// Two ways through the library: in slices, by messages, and as one group of a send and a receive.
void messages(const tutti::Communicator& world) {
  std::vector<tutti::bfloat16> halves(four_mib / 2, tutti::bfloat16(3.F));
  world.all_reduce(halves, tutti::sum);
  for (const tutti::bfloat16 half : halves)
    require(float(half) == 3.F * static_cast<float>(world.size()), "a small float");
  const int next = (world.rank() + 1) % world.size();
  const int before = (world.rank() + world.size() - 1) % world.size();
  const auto mine = words_of(world.rank());
  std::vector<std::uint32_t> theirs(mine.size());
  world.run({tutti::send(mine, next), tutti::recv(theirs, before)});
  for (std::size_t i = 0; i < theirs.size(); ++i)
    require(theirs[i] == word(i, before), "a sent word");
}

}  // namespace

int main(int argc, char** argv) {
  tutti::Environment environment(argc, argv);
  require_expected_size();
  const tutti::Communicator world(MPI_COMM_WORLD);
  for (int root = 0; root < world.size(); ++root) broadcast(world, root);
  all_reduce(world);
  messages(world);
  return 0;
}
