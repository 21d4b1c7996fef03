// A small host operation's `run` does not allocate: neither `operator new` nor malloc is called by
// the library or by headers of the standard library that it uses. What the MPI library allocates
// for itself is not counted: malloc is counted by the module that calls it.
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "support/communicators.hpp"

extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);
extern "C" void __libc_free(void*);

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};
std::atomic<int> refused_after{-1};  // so many more are granted, then one is refused

// Told by where the call returns to: this program (which has the library's code when linked
// statically) or libtutti.
bool ours(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return false;
  return std::strstr(info.dli_fname, "tutti") != nullptr ||
         std::strstr(info.dli_fname, "allocation_test") != nullptr;
}

void note(const void* caller) {
  if (!counting) return;
  counting = false;  // dladdr may allocate
  if (ours(caller)) ++allocations;
  counting = true;
}

}  // namespace

extern "C" void* malloc(std::size_t size) {
  note(__builtin_return_address(0));
  return __libc_malloc(size);
}
extern "C" void* calloc(std::size_t n, std::size_t size) {
  note(__builtin_return_address(0));
  return __libc_calloc(n, size);
}
extern "C" void* realloc(void* old, std::size_t size) {
  note(__builtin_return_address(0));
  return __libc_realloc(old, size);
}
void* operator new(std::size_t size) {
  if (counting) ++allocations;
  if (refused_after >= 0 && refused_after-- == 0) throw std::bad_alloc();
  void* const memory = __libc_malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  __libc_free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  __libc_free(memory);
}

namespace tutti::test {
namespace {

class Allocations : public OnWorld {
 protected:
  // Once to warm up what is kept from call to call, then counted.
  int allocations_of(const std::function<void()>& call) {
    for (int i = 0; i < 3; ++i) call();
    allocations = 0;
    counting = true;
    for (int i = 0; i < 5; ++i) call();
    counting = false;
    return allocations;
  }
};

TEST_F(Allocations, AreCountedAtAll) {
  EXPECT_EQ(allocations_of([] { delete new int(3); }), 5);
  // Volatile, or the compiler takes the pair away.
  EXPECT_EQ(allocations_of([] {
              void* volatile memory = std::malloc(16);
              std::free(memory);
            }),
            5);
}

TEST_F(Allocations, SmallOperationsMakeNone) {
  std::vector<float> data(16, 1), out(16), wide(16 * ranks()), half(16);
  std::vector<bfloat16> small(16);
  std::vector<long long> integers(16, 3);
  const std::pair<const char*, std::function<void()>> calls[] = {
      {"all_reduce", [&] { world_.all_reduce(data, out, sum); }},
      {"all_reduce in place", [&] { world_.all_reduce(data, max); }},
      {"all_reduce of bfloat16", [&] { world_.all_reduce(small, sum); }},
      {"mean of integers", [&] { world_.all_reduce(integers, avg); }},
      {"reduce", [&] { world_.reduce(data, out, sum, 0); }},
      {"broadcast", [&] { world_.broadcast(data, 0); }},
      {"all_gather", [&] { world_.all_gather(data, wide); }},
      {"reduce_scatter", [&] { world_.reduce_scatter(wide, out, sum); }},
      {"all_to_all", [&] { world_.all_to_all(wide, wide); }},
      {"scan", [&] { world_.scan(data, out, sum); }},
      {"barrier", [&] { world_.barrier(); }},
      {"send_recv",
       [&] {
         world_.send_recv(data, (rank() + 1) % size(), half, (rank() + size() - 1) % size());
       }},
      {"send_recv in place",
       [&] {
         world_.send_recv(data, (rank() + 1) % size(), data, (rank() + size() - 1) % size());
       }},
      {"send and recv",
       [&] {
         const int peer = rank() ^ 1;  // one rank may be left over
         if (peer < size() && rank() < peer) world_.send(data, peer);
         if (peer < size()) world_.recv(out, peer);
         if (peer < size() && rank() > peer) world_.send(data, peer);
       }},
      {"send_recv with a deadline",
       [&] {
         const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
         world_.run(send_recv(data, next, half, before).within(std::chrono::minutes(1)));
       }},
      {"a group of messages", [&] {
         const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
         world_.run({send(data, next, 1), recv(out, before, 2), send(data, next, 2),
                     recv(half, before, 1)});
       }}};
  for (const auto& [what, call] : calls) EXPECT_EQ(allocations_of(call), 0) << what;
}

// A question moves nothing, whatever the call before it was.
TEST_F(Allocations, AQuestionThatFailsBreaksNothing) {
  std::vector<double> data(8);
  const Operation operation = all_reduce(data, sum);
  int refused = 0;
  for (int granted = 0; granted < 40; ++granted) {
    expect_works(world_);
    refused_after = granted;
    try {
      static_cast<void>(world_.explain(operation));
    } catch (const std::bad_alloc&) {
      ++refused;
    }
    refused_after = -1;
  }
  EXPECT_GT(refused, 0) << "a text takes memory";
  expect_works(world_);
}

}  // namespace
}  // namespace tutti::test
