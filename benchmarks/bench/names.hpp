#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tutti::bench {

/// Things that options are given by name, and their names.
template <class T>
using Names = std::vector<std::pair<std::string_view, T>>;

template <class T>
std::vector<std::string_view> names_of(const Names<T>& names) {
  std::vector<std::string_view> result;
  for (const auto& entry : names) result.push_back(entry.first);
  return result;
}

/// @throws CLI::ValidationError with the list of valid names.
template <class T>
T by_name(const Names<T>& names, std::string_view what, std::string_view name) {
  for (const auto& [known, value] : names)
    if (known == name) return value;
  throw CLI::ValidationError(
      fmt::format("'{}' is not a {}; valid are: {}", name, what, fmt::join(names_of(names), ", ")));
}

template <class T>
std::vector<T> by_names(const Names<T>& names, std::string_view what,
                        const std::vector<std::string>& given) {
  std::vector<T> result;
  for (const std::string& name : given) result.push_back(by_name(names, what, name));
  return result;
}

}  // namespace tutti::bench
