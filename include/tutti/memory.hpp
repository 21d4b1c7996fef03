#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L
#include <ranges>
#endif

#include "tutti/detail/ranges.hpp"
#include "tutti/device.hpp"
#include "tutti/types.hpp"

namespace tutti {

/// Where memory lies. `unspecified` is found out when the operation is checked.
enum class MemoryKind : std::uint8_t { unspecified, host, device };

/// `size` elements at `data` in device memory; a view that cannot be dereferenced on the host.
template <class T>
class DeviceSpan {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  constexpr DeviceSpan() noexcept = default;
  constexpr DeviceSpan(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  /// `count` elements from `offset` on; both must lie inside.
  constexpr DeviceSpan subspan(std::size_t offset, std::size_t count) const noexcept {
    return {data_ + offset, count};
  }
  constexpr operator DeviceSpan<const T>() const noexcept { return {data_, size_}; }  // NOLINT

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// True for ranges that own no memory, which may therefore be passed as temporaries: std::span and
/// its like. Specialise it for a view type of your own.
template <class Range>
inline constexpr bool is_borrowed_range_v =
#ifdef __cpp_lib_ranges
    std::ranges::borrowed_range<Range>;
#else
    false;
#endif
template <class T>
inline constexpr bool is_borrowed_range_v<DeviceSpan<T>> = true;

/// The kind of memory that a range type promises by itself. Specialise it for your own.
template <class Range>
inline constexpr MemoryKind memory_kind_v = MemoryKind::unspecified;
template <class T>
inline constexpr MemoryKind memory_kind_v<DeviceSpan<T>> = MemoryKind::device;

namespace detail {
/// Ranges whose `device()` says where their memory lies, as Buffer's does.
template <class Range, class = void>
inline constexpr bool tells_its_device = false;
template <class Range>
inline constexpr bool tells_its_device<
    Range,
    std::enable_if_t<std::is_same_v<decltype(std::declval<const Range&>().device()), Device>>> =
    true;

template <class Range>
inline constexpr bool outlives_the_call =
    std::is_lvalue_reference_v<Range> || is_borrowed_range_v<Bare<Range>>;
}  // namespace detail

/// `Range`, as deduced by `Range&&`, can be sent from: a contiguous, sized, borrowed range of an
/// element type that tutti knows.
template <class Range>
inline constexpr bool is_send_range_v =
    is_element_v<detail::Element<Range>>&& detail::outlives_the_call<Range>;

/// `Range`, as deduced by `Range&&`, can be received into: as `is_send_range_v`, and not const.
template <class Range>
inline constexpr bool is_receive_range_v =
    is_send_range_v<Range> && !std::is_const_v<detail::Element<Range>>;

/// One side of an operation, type-erased: `count` elements of `type` at `data`.
struct MemoryView {
  void* data = nullptr;
  std::size_t count = 0;
  DataType type = DataType::byte;
  MemoryKind kind = MemoryKind::unspecified;
  bool given = false;  ///< false: nothing was passed, as on a rank where this side does not matter

  std::size_t bytes() const noexcept { return count * size_of(type); }

 protected:
  template <class Range>
  void view(Range& range) noexcept {
    using Element = detail::Element<Range>;
    static_assert(!detail::is_vector_of_bool<detail::Bare<Range>>,
                  "tutti: std::vector<bool> packs its elements into bits; use std::vector<char>");
    static_assert(detail::Contiguous<Range>::value,
                  "tutti: the memory of an operation is a contiguous, sized range");
    static_assert(is_element_v<Element>,
                  "tutti: the element type of this range is not in tutti::DataType");
    if constexpr (is_element_v<Element>) {
      // A SendView is never written through.
      data = const_cast<std::remove_cv_t<Element>*>(std::data(range));
      count = static_cast<std::size_t>(std::size(range));
      type = data_type_v<Element>;
      if constexpr (detail::tells_its_device<detail::Bare<Range>>)
        kind = range.device() ? MemoryKind::device : MemoryKind::host;
      else
        kind = memory_kind_v<detail::Bare<Range>>;
      given = true;
    }
  }
};

namespace detail {
template <class Range>
using IfRange =
    std::enable_if_t<is_range_like<Range> && !std::is_base_of_v<MemoryView, Bare<Range>>, int>;
}  // namespace detail

/// Memory to send from; made implicitly from the range that the operation then views. `{}` stands
/// for memory of a rank where this side does not matter.
struct SendView : MemoryView {
  SendView() = default;
  template <class Range, detail::IfRange<Range> = 0>
  SendView(Range&& range) noexcept {  // NOLINT: implicit, so that operations take any range
    static_assert(
        detail::outlives_the_call<Range>,
        "tutti: this range is a temporary, gone before the operation ends; name it first");
    view(range);
  }
};

/// Memory to receive into, likewise.
struct ReceiveView : MemoryView {
  ReceiveView() = default;
  template <class Range, detail::IfRange<Range> = 0>
  ReceiveView(Range&& range) noexcept {  // NOLINT: implicit, so that operations take any range
    static_assert(
        detail::outlives_the_call<Range>,
        "tutti: this range is a temporary, gone before the operation ends; name it first");
    static_assert(!std::is_const_v<detail::Element<Range>>,
                  "tutti: cannot receive into const elements");
    view(range);
  }
};

}  // namespace tutti
