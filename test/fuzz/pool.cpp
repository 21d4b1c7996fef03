#include "fuzz/pool.hpp"

#include "fuzz/failure.hpp"
#include "fuzz/random.hpp"

namespace tutti::fuzz {
namespace {

Options draw_options(Random& random, std::string& text) {
  Options options;
  options.check = random.pick({Check::local, Check::local, Check::global, Check::none});
  options.deterministic = random.chance(25);
  if (random.chance(15)) options.timeout = std::chrono::minutes(10);
  text = options.check == Check::local ? "local" : options.check == Check::global ? "global" : "no";
  text += " check";
  if (options.deterministic) text += ", deterministic";
  if (options.timeout.count() != 0) text += ", with a deadline";
  return options;
}

void require_same_ranks(const Member& member) {
  int rank = -1, size = -1;
  MPI_Comm_rank(member.raw, &rank);
  MPI_Comm_size(member.raw, &size);
  require(rank == member.communicator.rank() && size == member.communicator.size(),
          "a split has other ranks than MPI's split");
}

Member split(const Member& parent, Random& random, int rank, int size) {
  int color = 0, key = 0;
  // Everyone draws for all.
  for (int r = 0; r < size; ++r) {
    const int drawn_color = static_cast<int>(random.below(3)) - (random.chance(20) ? 1 : 0);
    const int drawn_key = static_cast<int>(random.below(5)) - 2;
    if (r == rank) color = drawn_color, key = drawn_key;
  }
  Member child;
  child.communicator = parent.communicator.split(color, key);
  MPI_Comm_split(parent.raw, color < 0 ? MPI_UNDEFINED : color, key, &child.raw);
  child.color = static_cast<std::uint64_t>(color + 2);
  child.text = "split of " + parent.text;
  require(child.communicator.valid() == (color >= 0),
          "a colour makes a communicator, none does not");
  if (child.communicator.valid()) require_same_ranks(child);
  return child;
}

}  // namespace

Pool::Pool(std::uint64_t seed) {
  Random random(seed);
  Member whole;
  MPI_Comm_dup(MPI_COMM_WORLD, &whole.raw);
  const Options options = draw_options(random, whole.text);
  whole.communicator = Communicator(whole.raw, options);
  require_same_ranks(whole);
  members_.push_back(std::move(whole));
  const int rank = members_[0].communicator.rank(), size = members_[0].communicator.size();
  for (std::size_t splits = random.below(3); splits > 0; --splits)
    members_.push_back(split(members_[0], random, rank, size));
}

Pool::~Pool() {
  for (Member& member : members_)
    if (member.raw != MPI_COMM_NULL) MPI_Comm_free(&member.raw);
}

}  // namespace tutti::fuzz
