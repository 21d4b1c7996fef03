#include <cstring>

#include "bench/contender.hpp"
#include "bench/memory.hpp"

namespace tutti::bench {
namespace {

class Copy final : public Action {
 public:
  explicit Copy(const Job& job)
      : bytes_(job.bytes()),
        calls_(job.collective->calls),
        memory_(make_ordinary_memory()),
        from_(memory_->allocate(bytes_)),
        to_(memory_->allocate(bytes_)) {
    std::memset(from_->data(), 1, bytes_);  // touches every page
    std::memset(to_->data(), 0, bytes_);
  }

  void run() override {
    for (int call = 0; call < calls_; ++call) {
      std::memcpy(to_->data(), from_->data(), bytes_);
      asm volatile("" : : "r"(to_->data()) : "memory");  // the copy is wanted for its own sake
    }
  }

 private:
  std::size_t bytes_;
  int calls_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Buffer> from_;
  std::unique_ptr<Buffer> to_;
};

class Memcpy final : public Contender {
 public:
  std::string_view name() const noexcept override { return "memcpy"; }

  std::string refusal(const Job& job) const override {
    return job.bytes() == 0 ? "there is nothing to copy" : "";
  }

  std::unique_ptr<Action> prepare(const Job& job, const Ranges& /*ranges*/) const override {
    return std::make_unique<Copy>(job);
  }
};

}  // namespace

std::unique_ptr<Contender> make_memcpy() {
  return std::make_unique<Memcpy>();
}

}  // namespace tutti::bench
