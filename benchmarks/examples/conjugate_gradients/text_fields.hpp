#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cg {

/// The words of a line; blanks, tabs and the carriage return of CR LF separate them.
void split_fields(std::string_view line, std::vector<std::string_view>& fields);

/// The whole word as a number, whatever the locale; nothing if it is not one or does not fit.
std::optional<std::int64_t> parse_integer(std::string_view word);
std::optional<double> parse_real(std::string_view word);

/// `word` in lower case.
std::string lower_case(std::string_view word);

/// `text` in quotation marks for a message: shortened, without control characters.
std::string in_quotes(std::string_view text);

}  // namespace cg
