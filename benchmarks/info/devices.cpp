#include "info/devices.hpp"

#include <tutti/nccl.hpp>

#include <numeric>
#include <string>

#include "common/mpi_support.hpp"

namespace tutti::bench {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json to_json(const LoadedLibrary& library) {
  return {{"version", text_or_null(library.version)},
          {"path", text_or_null(library.path)},
          {"built_for", text_or_null(library.built_for)},
          {"problem", text_or_null(library.problem)}};
}

Json to_json(const DeviceProperties& device) {
  return {{"ordinal", device.device.ordinal()},
          {"name", device.name},
          {"uuid", device.uuid},
          {"memory_bytes", device.memory},
          {"compute_capability", device.compute_capability},
          {"bus_id", device.bus_id}};
}

Json devices_of_this_rank(const Communicator& world) {
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(host, &length);
  Json visible = Json::array();
  try {
    for (const DeviceProperties& device : visible_devices()) visible.push_back(to_json(device));
  } catch (const Error& error) {
    visible.push_back({{"problem", error.cause()}});
  }
  const DeviceLibraries libraries = device_libraries();
  const Device own = world.device();
  return {{"rank", world.rank()},
          {"host", host},
          {"device", own ? Json(own.ordinal()) : Json(nullptr)},
          {"visible_devices", visible},
          {"libraries",
           {{"cuda_driver", text_or_null(libraries.driver)},
            {"cuda_runtime", to_json(libraries.runtime)},
            {"nccl", to_json(libraries.nccl)}}},
          {"why_no_nccl", text_or_null(nccl_available().reason)}};
}

}  // namespace

std::vector<Json> gather_devices(const Communicator& world) {
  const std::string mine =
      devices_of_this_rank(world).dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto ranks = static_cast<std::size_t>(world.size());
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(ranks), offsets(ranks);
  check_mpi(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD),
            "MPI_Allgather");
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  check_mpi(MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(),
                           offsets.data(), MPI_CHAR, MPI_COMM_WORLD),
            "MPI_Allgatherv");
  std::vector<Json> devices;
  for (std::size_t r = 0; r < ranks; ++r)
    devices.push_back(Json::parse(
        all.substr(static_cast<std::size_t>(offsets[r]), static_cast<std::size_t>(lengths[r]))));
  return devices;
}

}  // namespace tutti::bench
