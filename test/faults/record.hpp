#pragma once

#include <string>

namespace tutti::faults {

/// What this rank says of itself in $FAULTS_DIR/rank.N, a line at a time: read by campaign.py, also
/// when the process was killed.
void open_record(int rank);
void say(const std::string& word, const std::string& text = {});

}  // namespace tutti::faults
