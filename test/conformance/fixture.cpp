#include "conformance/fixture.hpp"

#include <map>

#include "core/check.hpp"

namespace tutti::test {
namespace {

std::map<std::string, std::unique_ptr<Backend>>& made_backends() {
  static std::map<std::string, std::unique_ptr<Backend>> backends;
  return backends;
}

[[maybe_unused]] const auto* const environment =
    testing::AddGlobalTestEnvironment(new BackendsOfThisRun);

}  // namespace

void BackendsOfThisRun::TearDown() {
  made_backends().clear();
}

Backend& Conformance::backend() {
  auto& backend = made_backends()[GetParam().name];
  if (!backend) backend = GetParam().make(MPI_COMM_WORLD);
  return *backend;
}

bool Conformance::serves(const Operation& operation) {
  const Support support = backend().supports(resolve(operation, rank(), size()));
  EXPECT_EQ(support.yes, support.reason.empty()) << describe(operation);
  if (GetParam().complete) {
    EXPECT_TRUE(support.yes) << describe(operation) << support.reason;
  }
  return support.yes && exact(operation);
}

// With more than two ranks there is more than one step to round after; small_floats_test.cpp of the
// device tests looks at those results with a tolerance.
bool Conformance::exact(const Operation& operation) const {
  if (!GetParam().rounds_each_step || size() <= 2) return true;
  const bool reduction = operation.kind == OperationKind::all_reduce ||
                         operation.kind == OperationKind::reduce ||
                         operation.kind == OperationKind::reduce_scatter;
  const DataType type = operation.send.type;
  return !reduction || (type != DataType::float16 && type != DataType::bfloat16 &&
                        type != DataType::float8_e4m3 && type != DataType::float8_e5m2);
}

void Conformance::run(const std::vector<Operation>& operations) {
  std::vector<Operation> resolved;
  for (const Operation& operation : operations)
    resolved.push_back(resolve(operation, rank(), size()));
  backend().run(OperationList(resolved.data(), resolved.size()), Deadline{});
}

Prepared Conformance::prepare(std::initializer_list<Operation> operations) {
  Prepared prepared;
  for (const Operation& operation : operations)
    prepared.operations.push_back(resolve(operation, rank(), size()));
  prepared.task =
      backend().prepare(OperationList(prepared.operations.data(), prepared.operations.size()));
  return prepared;
}

Area Conformance::area_of(DataType type, const Bytes& elements, std::size_t shift) {
  Area result = area(type, elements.size() / element_size(type), shift);
  result.put(0, elements);
  return result;
}

std::vector<std::size_t> Conformance::counts() const {
  std::vector<std::size_t> result;
  for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 8U, 50U, 1000U, 20011U})
    if (count <= GetParam().largest) result.push_back(count);
  return result;
}

void Conformance::for_each_movement(const std::function<void(DataType, std::size_t, int)>& call) {
  int root = 0;
  const auto next_root = [&] { return root++ % size(); };
  for (const DataType type : all_data_types) call(type, 5, next_root());
  for (const std::size_t count : counts()) call(DataType::float64, count, next_root());
  for (int r = 0; r < size(); ++r) call(DataType::uint8, 9, r);
}

void Conformance::for_each_reduction(
    const std::function<void(DataType, Kind, std::size_t, int)>& call) {
  int root = 0;
  const auto next_root = [&] { return root++ % size(); };
  constexpr std::pair<DataType, Kind> pairs[] = {
      {DataType::int16, Kind::sum},         {DataType::uint64, Kind::prod},
      {DataType::float32, Kind::prod},      {DataType::bfloat16, Kind::sum},
      {DataType::uint8, Kind::max},         {DataType::float16, Kind::min},
      {DataType::float8_e4m3, Kind::sum},   {DataType::float64, Kind::pre_multiplied},
      {DataType::boolean, Kind::sum},       {DataType::complex128, Kind::prod},
      {DataType::int32, Kind::bitwise_xor}, {DataType::uint16, Kind::logical_and},
      {DataType::int8, Kind::avg},          {DataType::bfloat16, Kind::avg},
  };
  for (const auto& [type, kind] : pairs) call(type, kind, 5, next_root());
  for (const std::size_t count : counts()) call(DataType::float32, Kind::sum, count, next_root());
  for (int r = 0; r < size(); ++r) call(DataType::int64, Kind::sum, 9, r);
}

std::vector<Bytes> Conformance::patterns(DataType type, Kind kind, std::size_t count) const {
  std::vector<Bytes> result;
  for (int r = 0; r < size(); ++r) result.push_back(pattern(type, kind, r, count));
  return result;
}

std::vector<Bytes> Conformance::noises(DataType type, std::size_t count) const {
  std::vector<Bytes> result;
  for (int r = 0; r < size(); ++r) result.push_back(noise(type, r, count));
  return result;
}

Bytes slice(DataType type, const Bytes& elements, std::size_t offset, std::size_t count) {
  const auto begin = elements.begin() + static_cast<std::ptrdiff_t>(offset * element_size(type));
  return Bytes(begin, begin + static_cast<std::ptrdiff_t>(count * element_size(type)));
}

Bytes joined(const std::vector<Bytes>& parts) {
  Bytes result;
  for (const Bytes& part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

}  // namespace tutti::test
