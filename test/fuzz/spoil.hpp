#pragma once

#include "fuzz/draw.hpp"
#include "tutti/error.hpp"

namespace tutti::fuzz {

/// A way to make a valid operation wrong.
struct Spoil {
  const char* name;
  Errc expected;
  /// Whether it does so, equally on every rank.
  bool (*fits)(const Draw& draw, int size);
  void (*apply)(Operation& operation, const Draw& draw, int size);
};

/// What each rank can tell by itself; and what is valid on each rank, but not together.
const Spoil* draw_refusal(Random& random, const Draw& draw, int size);
const Spoil* draw_mismatch(Random& random, const Draw& draw, int size);

}  // namespace tutti::fuzz
