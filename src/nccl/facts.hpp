#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/bootstrap.hpp"
#include "cuda/runtime.hpp"

namespace tutti::nccl {

/// Settings of NCCL's that change what a rank does, and so must agree.
inline constexpr const char* compared_variables[] = {
    "NCCL_ALGO",          "NCCL_PROTO",       "NCCL_NTHREADS",     "NCCL_MIN_NCHANNELS",
    "NCCL_MAX_NCHANNELS", "NCCL_MIN_CTAS",    "NCCL_MAX_CTAS",     "NCCL_BUFFSIZE",
    "NCCL_P2P_DISABLE",   "NCCL_P2P_LEVEL",   "NCCL_SHM_DISABLE",  "NCCL_NET",
    "NCCL_NET_PLUGIN",    "NCCL_IB_DISABLE",  "NCCL_CROSS_NIC",    "NCCL_COLLNET_ENABLE",
    "NCCL_NVLS_ENABLE",   "NCCL_PXN_DISABLE", "NCCL_CUMEM_ENABLE", "NCCL_RUNTIME_CONNECT",
};

/// What the ranks must know of one another before NCCL is entered. Travels as bytes.
struct Facts {
  char host[64] = {};
  cuda::Uuid uuid{};
  char bus_id[32] = {};
  std::int32_t device = -1;
  std::int32_t capability = 0;
  std::int32_t version = 0;  ///< of NCCL
  char why_not[320] = {};    ///< why this rank cannot; empty if it can
  std::array<std::uint64_t, std::size(compared_variables)> variables{};  ///< hashes
};

/// The device that a process uses: its only one, or that of its rank within the node; never shared
/// by wrapping round. Empty reason if there is one.
struct DeviceChoice {
  Device device;
  std::string why_none;
};
DeviceChoice choose_device(int node_rank, int node_size);

/// Of this rank. Never throws: what is wrong becomes `why_not`.
Facts facts_of_this_rank(const DeviceChoice& choice);

/// Why these ranks cannot join NCCL, the same text on all of them; empty if they can.
std::string why_not_together(const std::vector<Facts>& ranks);
/// One line for each variable that differs, naming it and two ranks.
std::vector<std::string> differing_variables(const std::vector<Facts>& ranks);

/// NCCL_SOCKET_IFNAME's rule: "eth,ib" are prefixes, "=eth0" whole names, "^lo" excludes.
bool names_an_interface(const std::string& rule, const std::vector<std::string>& interfaces);

}  // namespace tutti::nccl
