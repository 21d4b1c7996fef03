#pragma once

#include <vector>

namespace tutti::bench {

/// What is told of a row's iterations.
struct Summary {
  double min = 0;
  double median = 0;
  double mean = 0;
  double p99 = 0;
  double max = 0;
};

/// All zero for no samples.
Summary summarise(std::vector<double> samples);

double median(std::vector<double> samples);

/// Half the width of the median's 95 % confidence interval, relative to the median. From order
/// statistics, so that no distribution is assumed; 1 for fewer than 6 samples, of which no such
/// interval exists.
double median_uncertainty(std::vector<double> samples);

}  // namespace tutti::bench
