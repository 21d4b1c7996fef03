#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/node/movement.hpp"
#include "mpi/node/reduction.hpp"
#include "mpi/node/team.hpp"

namespace tutti::mpi::node {

/// Long blocks without slots: ranks tell where their memory lies, and each copies what it needs out
/// of the others' processes. Each byte is copied once instead of twice, by the kernel, which some
/// machines do faster.
///
/// The operations are called by all ranks alike, as those of movement.hpp. They say false, on all
/// ranks, with nothing done, where some rank's memory cannot be read.
class Direct {
 public:
  /// So many readers are not in each other's way in the kernel yet.
  static constexpr int few_ranks = 4;
  /// Among more, what a scatter that goes well has at least, of all blocks.
  static constexpr std::size_t least_scattered = 4 * 1024 * 1024;

  /// Of the bytes that may move either way, so many pass between two measurements of which is
  /// quicker: virtual processors move. One takes a hundredth of that.
  static constexpr std::size_t bytes_between_trials = std::size_t{16} << 30;

  explicit Direct(Team& team, std::size_t between_trials = bytes_between_trials);
  Direct(const Direct&) = delete;
  Direct& operator=(const Direct&) = delete;

  /// Whether all ranks can be read here; found out together, at the first call.
  bool possible() {
    if (!judged_) [[unlikely]]
      judge();
    return possible_;
  }
  /// Whether that takes less time than slots, as far as calibration.hpp measures it, for an
  /// operation of `bytes` bytes, the same on all ranks; likewise.
  bool pays(std::size_t bytes) { return measured(bytes) && pays_; }
  /// The same for an exchange of all with all.
  bool exchange_pays(std::size_t bytes) { return measured(bytes) && exchange_pays_; }
  /// It does not, as was found out last.
  bool has_lost(OperationKind kind) const noexcept {
    return judged_ && !(kind == OperationKind::all_to_all ? exchange_pays_ : pays_);
  }

  bool broadcast(std::byte* data, std::size_t bytes, int root);
  bool all_gather(const std::byte* in, std::byte* out, const ByteBlocks& blocks);
  /// Of equal blocks; `in` matters on the root.
  bool scatter(const std::byte* in, std::byte* out, std::size_t block, int root);
  /// Of equal blocks. False too where it is in place on some rank.
  bool all_to_all(const std::byte* in, std::byte* out, std::size_t block);
  /// The root folds what it reads; `count` elements, one at least.
  bool reduce(const Arithmetic& arithmetic, const std::byte* in, std::byte* out, std::size_t count,
              int root);
  /// Of two ranks; false with others. The second reads the first one's array.
  bool exclusive_scan(const Arithmetic& arithmetic, const std::byte* in, std::byte* out,
                      std::size_t count);

  /// Each rank reads all arrays and folds them. False too for arrays longer than is worth their
  /// copies.
  bool all_reduce(const Arithmetic& arithmetic, const std::byte* in, std::byte* out,
                  std::size_t count);

 private:
  /// Where a rank's memory lies in its own process; 0: it cannot be read.
  using Address = std::uint64_t;

  static Address address_of(const void* memory, std::size_t bytes) noexcept;
  void judge();
  void measure();
  /// Measures again when that is due, and returns whether all ranks can be read.
  bool measured(std::size_t bytes) {
    moved_ += bytes;
    if (possible() && moved_ >= between_trials_) [[unlikely]]
      measure();
    return possible_;
  }
  bool can_read_all();
  /// Everybody's address, in `theirs_`; true if all ranks have one.
  bool exchange(Address own);
  /// The root's address, for all.
  Address told_by(int root, Address own);
  /// The root waits until all others have come here. Of two ranks the other one tells whether it
  /// could read, and both return that.
  bool await_others(int root, bool could_read = true);
  /// What a root tells: of two ranks just where its memory lies, since the other one finds out
  /// whether it can be read, and asking the kernel takes as long as reading a short block.
  Address address_to_try(const void* memory, std::size_t bytes) const noexcept;
  bool read(int root, Address there, std::byte* to, std::size_t bytes);
  /// Room for so many bytes of each rank.
  bool has_pieces(std::size_t bytes) noexcept;
  /// All others wait until the root has come here.
  void await_root(int root);

  Team& team_;
  std::size_t between_trials_;
  std::size_t moved_ = 0;  ///< since the last measurement
  bool judged_ = false;
  bool possible_ = false;
  bool pays_ = false;
  bool exchange_pays_ = false;
  std::vector<Address> theirs_;
  std::vector<std::byte> pieces_;  // of the others' arrays, while they are folded
};

}  // namespace tutti::mpi::node
