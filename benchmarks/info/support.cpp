#include "info/support.hpp"

#include <algorithm>
#include <complex>
#include <optional>

namespace tutti::bench {
namespace {

using Kind = ReduceOp::Kind;

/// A user's function, which is asked about and never applied.
template <class T>
ReduceOp user_reduction() {
  static const UserReduction<T> left_one([](T left, T) { return left; });
  return left_one;
}

ReduceOp user_reduction(DataType type) {
  switch (type) {
    case DataType::int8:
      return user_reduction<std::int8_t>();
    case DataType::uint8:
      return user_reduction<std::uint8_t>();
    case DataType::int16:
      return user_reduction<std::int16_t>();
    case DataType::uint16:
      return user_reduction<std::uint16_t>();
    case DataType::int32:
      return user_reduction<std::int32_t>();
    case DataType::uint32:
      return user_reduction<std::uint32_t>();
    case DataType::int64:
      return user_reduction<std::int64_t>();
    case DataType::uint64:
      return user_reduction<std::uint64_t>();
    case DataType::float16:
      return user_reduction<float16>();
    case DataType::bfloat16:
      return user_reduction<bfloat16>();
    case DataType::float32:
      return user_reduction<float>();
    case DataType::float64:
      return user_reduction<double>();
    case DataType::complex64:
      return user_reduction<std::complex<float>>();
    case DataType::complex128:
      return user_reduction<std::complex<double>>();
    case DataType::float8_e4m3:
      return user_reduction<float8_e4m3>();
    case DataType::float8_e5m2:
      return user_reduction<float8_e5m2>();
    case DataType::boolean:
      return user_reduction<bool>();
    case DataType::byte:
      return user_reduction<std::byte>();
  }
  return sum;
}

ReduceOp reduction(Kind kind, DataType type) {
  if (kind == Kind::user) return user_reduction(type);
  return kind == Kind::pre_multiplied ? pre_multiplied(1) : ReduceOp(kind);
}

/// Operations on memory that is never read.
class Examples {
 public:
  Examples(MemoryKind memory, int ranks)
      : bytes_(2 * 16 * static_cast<std::size_t>(ranks)),
        memory_(memory),
        ranks_(static_cast<std::size_t>(ranks)) {}

  Operation make(const SupportCell& cell) {
    const ReduceOp op = reduction(cell.reduction, cell.type);
    const auto one = view<SendView>(cell.type, 0, 1), all = view<SendView>(cell.type, 0, ranks_);
    const auto one_out = view<ReceiveView>(cell.type, ranks_, 1);
    const auto all_out = view<ReceiveView>(cell.type, ranks_, ranks_);
    switch (cell.operation) {
      case OperationKind::all_reduce:
        return all_reduce(one, one_out, op);
      case OperationKind::reduce:
        return reduce(one, one_out, op, 0);
      case OperationKind::reduce_scatter:
        return reduce_scatter(all, one_out, op);
      case OperationKind::scan:
        return scan(one, one_out, op);
      case OperationKind::exclusive_scan:
        return exclusive_scan(one, one_out, op);
      case OperationKind::broadcast:
        return broadcast(one_out, 0);
      case OperationKind::all_gather:
        return all_gather(one, all_out);
      case OperationKind::gather:
        return gather(one, all_out, 0);
      case OperationKind::scatter:
        return scatter(all, one_out, 0);
      case OperationKind::all_to_all:
        return all_to_all(all, all_out);
      case OperationKind::send:
        return send(one, 0);
      case OperationKind::recv:
        return recv(one_out, 0);
      case OperationKind::send_recv:
        return send_recv(one, 0, one_out, 0);
      case OperationKind::barrier:
        break;
    }
    return barrier();
  }

 private:
  template <class View>
  View view(DataType type, std::size_t offset, std::size_t count) {
    View result;
    result.data = bytes_.data() + offset * size_of(type);
    result.count = count;
    result.type = type;
    result.kind = memory_;
    result.given = true;
    return result;
  }

  std::vector<std::byte> bytes_;
  MemoryKind memory_;
  std::size_t ranks_;
};

std::vector<SupportCell> all_cells() {
  std::vector<SupportCell> cells;
  for (const DataType type : all_data_types) {
    for (const OperationKind operation : moving_operations())
      cells.push_back({operation, Kind::sum, type});
    for (const Kind kind : all_reduce_kinds)
      for (const OperationKind operation : reducing_operations(kind))
        cells.push_back({operation, kind, type});
  }
  return cells;
}

SupportTable& table_of(std::vector<SupportTable>& tables, const std::string& backend,
                       MemoryKind memory) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const SupportTable& table) {
    return table.backend == backend && table.memory == memory;
  });
  return found != tables.end() ? *found : tables.emplace_back(SupportTable{backend, memory, {}});
}

void ask(const Communicator& world, MemoryKind memory, std::vector<SupportTable>& tables) {
  Examples examples(memory, world.size());
  for (const SupportCell& cell : all_cells()) {
    try {
      const Choice choice = world.choose(examples.make(cell));
      table_of(tables, choice.backend, memory).cells.insert(cell);
    } catch (const Error&) {
      // Nobody serves it: a cell that stays empty.
    }
  }
}

std::optional<Communicator> communicator(MPI_Comm comm, HostPath host_path, NcclPolicy nccl) {
  Options options;
  options.host_path = host_path;
  options.nccl = nccl;
  try {
    return Communicator(comm, options);
  } catch (const Error&) {
    return std::nullopt;  // on all ranks alike: there is no such way here
  }
}

}  // namespace

std::vector<OperationKind> reducing_operations(Kind kind) {
  std::vector<OperationKind> operations = {OperationKind::all_reduce, OperationKind::reduce,
                                           OperationKind::reduce_scatter};
  if (kind == Kind::avg) return operations;
  operations.push_back(OperationKind::scan);
  operations.push_back(OperationKind::exclusive_scan);
  return operations;
}

std::vector<OperationKind> moving_operations() {
  return {OperationKind::broadcast, OperationKind::all_gather, OperationKind::gather,
          OperationKind::scatter,   OperationKind::all_to_all, OperationKind::send,
          OperationKind::recv,      OperationKind::send_recv};
}

std::vector<SupportTable> support_tables(MPI_Comm comm) {
  std::vector<SupportTable> tables;
  for (const HostPath path : {HostPath::mpi, HostPath::node, HostPath::nccl, HostPath::automatic})
    if (const auto world = communicator(comm, path, NcclPolicy::automatic))
      ask(*world, MemoryKind::host, tables);
  for (const NcclPolicy policy : {NcclPolicy::automatic, NcclPolicy::never})
    if (const auto world = communicator(comm, HostPath::automatic, policy))
      ask(*world, MemoryKind::device, tables);
  return tables;
}

}  // namespace tutti::bench
