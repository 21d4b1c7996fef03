#include "bench/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tutti::bench {
namespace {

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 != 0 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/// The smallest sample that at least `share` of all samples do not exceed.
double quantile_of_sorted(const std::vector<double>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

Summary summarise(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const double total = std::accumulate(samples.begin(), samples.end(), 0.0);
  return {samples.front(), median_of_sorted(samples), total / static_cast<double>(samples.size()),
          quantile_of_sorted(samples, 0.99), samples.back()};
}

double median(std::vector<double> samples) {
  return summarise(std::move(samples)).median;
}

double median_uncertainty(std::vector<double> samples) {
  if (samples.size() < 6) return 1;
  std::sort(samples.begin(), samples.end());
  const double n = static_cast<double>(samples.size());
  const double reach = 0.98 * std::sqrt(n);  // 1.96 standard deviations of Binomial(n, 1/2)
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor((n - 1) / 2 - reach)));
  const auto high = static_cast<std::size_t>(std::min(n - 1, std::ceil((n - 1) / 2 + reach)));
  const double middle = median_of_sorted(samples);
  return middle > 0 ? (samples[high] - samples[low]) / 2 / middle : 0;
}

}  // namespace tutti::bench
