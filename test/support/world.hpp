#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tutti/error.hpp"

// What tests ask of MPI itself, on MPI_COMM_WORLD, apart from the library under test.
namespace tutti::test {

int rank();
int size();

/// Raw MPI barrier.
void meet();

/// True on all ranks if they gave equal values. Collective.
bool same_on_all_ranks(std::uint64_t value);

/// How many ranks say true. Collective.
int ranks_that_say(bool yes);

/// FNV-1a.
std::uint64_t hash(const void* data, std::size_t bytes, std::uint64_t seed = 0xcbf29ce484222325U);

/// What became of a call that should fail.
struct Failure {
  bool thrown = false;
  Errc code{};
  std::string text;
};

/// Calls it and keeps the tutti::Error; other exceptions pass.
Failure failure_of(const std::function<void()>& call);

/// As `failure_of`, and adds a test failure unless every rank threw with the same code. Collective.
Failure agreed_failure_of(const std::function<void()>& call);

}  // namespace tutti::test
