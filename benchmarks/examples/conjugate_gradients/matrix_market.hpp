#pragma once

#include <cstddef>
#include <istream>
#include <stdexcept>
#include <string>

#include "csr_matrix.hpp"

namespace cg {

/// A file that cannot be used; `what()` is "FILE:LINE: the rule that it breaks".
class MatrixMarketError : public std::runtime_error {
 public:
  MatrixMarketError(const std::string& file, std::size_t line, const std::string& rule);
  /// Counted from 1; 0 when the file as a whole is meant.
  std::size_t line() const noexcept { return line_; }

 private:
  std::size_t line_;
};

/// Reads a symmetric matrix: "coordinate", "real" or "integer", "symmetric" (lower triangle) or
/// "general" with equal triangles. Comments and blank lines may stand anywhere after the banner,
/// lines may end in CR LF. An entry that is given twice is refused rather than summed: in a
/// solver's input it is more often a mistake than an assembly.
/// @throws MatrixMarketError
CsrMatrix read_matrix_market(const std::string& file);

/// The same from a stream; `file` is the name for messages.
CsrMatrix read_matrix_market(std::istream& in, const std::string& file);

}  // namespace cg
