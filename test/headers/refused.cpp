// Programs that must not compile, one at a time: refused.sh sets REFUSE and looks for the text that
// stands beside the number.
#include <array>
#include <deque>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "tutti/operation.hpp"

void use() {
  std::vector<float> floats(3);
  [[maybe_unused]] const std::vector<float> constant(3);
#if REFUSE == 0  // control: compiles
  (void)tutti::all_reduce(constant, floats, tutti::sum);
#elif REFUSE == 1   // text: tutti: std::vector<bool> packs its elements into bits
  std::vector<bool> bits(3);
  (void)tutti::all_reduce(bits, tutti::sum);
#elif REFUSE == 2   // text: tutti: cannot receive into const elements
  (void)tutti::all_reduce(floats, constant, tutti::sum);
#elif REFUSE == 3   // text: tutti: this range is a temporary
  (void)tutti::all_gather(std::vector<float>(3), floats);
#elif REFUSE == 4   // text: tutti: the memory of an operation is a contiguous, sized range
  std::deque<float> deque(3);
  (void)tutti::broadcast(deque, 0);
#elif REFUSE == 5   // text: tutti: the element type of this range is not in tutti::DataType
  std::vector<long double> wide(3);
  (void)tutti::broadcast(wide, 0);
#elif REFUSE == 6   // text: tutti: the element type of this range is not in tutti::DataType
  std::u16string text(3, u'a');
  (void)tutti::broadcast(text, 0);
#elif REFUSE == 7   // text: tutti: block counts and offsets are contiguous ranges of std::size_t
  const std::vector<int> counts(3);
  (void)tutti::all_gather(constant, floats, tutti::Blocks(counts));
#elif REFUSE == 8   // text: tutti: the memory of an operation is a contiguous, sized range
  std::list<int> list(3);
  (void)tutti::send(list, 0);
#elif REFUSE == 9   // text: tutti: the element type of this range is not in tutti::DataType
  std::vector<float*> pointers(3);
  (void)tutti::broadcast(pointers, 0);
#elif REFUSE == 10  // text: tutti: this range is a temporary
  (void)tutti::broadcast(std::array<int, 3>{}, 0);
#endif
}
