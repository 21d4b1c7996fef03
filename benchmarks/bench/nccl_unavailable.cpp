#include <tutti/error.hpp>

#include "bench/contender.hpp"

namespace tutti::bench {

std::unique_ptr<Contender> make_nccl(const Communicator&, const DeviceStream&) {
  throw Error(Errc::unsupported, "--against nccl: this was built without NCCL's headers");
}

}  // namespace tutti::bench
