#pragma once

#include "mpi/node/team.hpp"

namespace tutti::mpi::node {

/// Whether slots that are written past the caches reach their readers sooner than those written
/// into this core's cache: so it is where cores share no cache, and the other way round where they
/// do. Measured, since virtual machines do not tell. Takes some 100 us. Called by all ranks of the
/// team at the same point of the same operation; each gets its own answer.
bool streaming_reaches_sooner(Team& team);

class Direct;

/// What is timed: an all_gather of 128 KiB blocks, or an all_to_all of 1 MiB a rank.
enum class Movement { gather, exchange };

/// Whether ranks are quicker at reading each other's memory by themselves than at handing it over
/// in slots; measured with data just written and with the same again. The same answer on all ranks,
/// which call it as above. Takes a few milliseconds.
bool reading_beats_slots(Team& team, Direct& direct, Movement movement);

}  // namespace tutti::mpi::node
