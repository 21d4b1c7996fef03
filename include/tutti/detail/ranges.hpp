#pragma once

#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/types.hpp"

// What makes a C++ range fit for communication. Written without concepts, so that the public
// headers also compile as C++17, and so that a refusal is a sentence instead of a list of
// constraints.

namespace tutti::detail {

template <class T>
using Bare = std::remove_cv_t<std::remove_reference_t<T>>;

template <class Range>
using RangePointer = decltype(std::data(std::declval<Range&>()));

template <class Range, class = void>
struct Contiguous : std::false_type {
  using Element = void;
};
template <class Range>
struct Contiguous<Range,
                  std::void_t<RangePointer<Range>, decltype(std::size(std::declval<Range&>()))>>
    : std::is_pointer<RangePointer<Range>> {
  using Element = std::remove_pointer_t<RangePointer<Range>>;
};

template <class Range>
using Element = typename Contiguous<std::remove_reference_t<Range>>::Element;

template <class T>
inline constexpr bool is_vector_of_bool = false;
template <class Allocator>
inline constexpr bool is_vector_of_bool<std::vector<bool, Allocator>> = true;

/// Anything that could have been meant as a range, fit or not.
template <class Range, class = void>
inline constexpr bool is_range_like =
    Contiguous<std::remove_reference_t<Range>>::value || is_vector_of_bool<Bare<Range>>;
template <class Range>
inline constexpr bool
    is_range_like<Range, std::void_t<decltype(std::begin(std::declval<Range&>()))>> = true;

}  // namespace tutti::detail
