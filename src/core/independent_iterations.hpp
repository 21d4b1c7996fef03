#pragma once

// An output may be an input, at equal pointers only: one iteration never reads what another wrote.
// Without this promise the compiler's test for overlap sends every in-place call the slow way.
#ifdef __clang__
// What stays scalar, 128-bit means for one, is no reason to stop.
#pragma clang diagnostic ignored "-Wpass-failed"
#define TUTTI_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#else
#define TUTTI_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif
