#pragma once

#include "diagnostics/record_file.hpp"

namespace tutti::record_file {

/// Writes a record file's contents as JSON. Safe in a signal handler: neither allocates nor locks.
/// Text that is not UTF-8 comes out with question marks.
void write_json(int descriptor, const Header& header, const Record* records) noexcept;

}  // namespace tutti::record_file
