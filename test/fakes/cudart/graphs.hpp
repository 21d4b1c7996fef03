#pragma once

#include "core/capture.hpp"
#include "core/registry.hpp"

namespace fake {

/** Graphs by handle. */
Registry<Graph>& graphs();

}  // namespace fake
