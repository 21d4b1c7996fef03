// Operations that one rank alone can tell to be wrong.
#include <climits>
#include <limits>
#include <vector>

#include "fuzz/spoil.hpp"
#include "fuzz/user_function.hpp"
#include "support/elements.hpp"

namespace tutti::fuzz {
namespace {

using Kind = OperationKind;

bool is_message(const Draw& d) {
  return d.messages != Messages::none;
}
bool has_scan_form(const Draw& d) {
  return d.kind == Kind::all_reduce || d.kind == Kind::scan || d.kind == Kind::exclusive_scan;
}
bool all_ranks_send(const Draw& d) {
  return has_scan_form(d) || d.kind == Kind::reduce || d.kind == Kind::all_gather ||
         d.kind == Kind::reduce_scatter || d.kind == Kind::gather || d.kind == Kind::all_to_all ||
         d.kind == Kind::send_recv;
}
bool all_ranks_receive(const Draw& d) {
  return has_scan_form(d) || d.kind == Kind::all_gather || d.kind == Kind::reduce_scatter ||
         d.kind == Kind::scatter || d.kind == Kind::all_to_all || d.kind == Kind::send_recv;
}
bool is_apart(const Draw& d) {
  return d.place == Place::apart;
}
bool is_even_and_apart(const Draw& d) {
  return is_apart(d) && !d.uneven && !is_message(d) && d.counts[0][0] > 1;
}
bool has_blocks_everywhere(const Draw& d) {
  return d.uneven && (d.kind == Kind::all_gather || d.kind == Kind::reduce_scatter ||
                      d.kind == Kind::all_to_all);
}
void shift(MemoryView& view, std::size_t bytes) {
  view.data = static_cast<std::byte*>(view.data) + bytes;
}

const Spoil refused_spoils[] = {
    {"root before the first rank", Errc::invalid_argument,
     [](const Draw& d, int) { return d.is_rooted(); },
     [](Operation& o, const Draw&, int) { o.root = -1; }},
    {"root behind the last rank", Errc::invalid_argument,
     [](const Draw& d, int) { return d.is_rooted(); },
     [](Operation& o, const Draw&, int size) { o.root = size; }},
    {"no memory to send", Errc::invalid_argument,
     [](const Draw& d, int) { return all_ranks_send(d) && is_apart(d); },
     [](Operation& o, const Draw&, int) { o.send = {}; }},
    {"no memory to receive into", Errc::invalid_argument,
     [](const Draw& d, int) { return all_ranks_receive(d) && is_apart(d); },
     [](Operation& o, const Draw&, int) { o.receive = {}; }},
    {"null to send", Errc::invalid_argument,
     [](const Draw& d, int) { return all_ranks_send(d) && is_even_and_apart(d); },
     [](Operation& o, const Draw&, int) { o.send.data = nullptr; }},
    {"null to receive into", Errc::invalid_argument,
     [](const Draw& d, int) { return all_ranks_receive(d) && is_even_and_apart(d); },
     [](Operation& o, const Draw&, int) { o.receive.data = nullptr; }},
    {"misaligned", Errc::invalid_argument,
     [](const Draw& d, int) {
       return all_ranks_send(d) && is_even_and_apart(d) && test::element_alignment(d.type) > 1;
     },
     [](Operation& o, const Draw&, int) { shift(o.send, 1); }},
    {"sides of two types", Errc::invalid_argument,
     [](const Draw& d, int) { return all_ranks_send(d) && all_ranks_receive(d) && is_apart(d); },
     [](Operation& o, const Draw& d, int) {
       o.receive.type = d.type == DataType::byte ? DataType::uint8 : DataType::byte;
     }},
    {"a reduction of bytes", Errc::unsupported, [](const Draw& d, int) { return d.reduces(); },
     [](Operation& o, const Draw&, int) { o.send.type = o.receive.type = DataType::byte; }},
    {"a scan of avg", Errc::unsupported,
     [](const Draw& d, int) { return d.kind == Kind::scan || d.kind == Kind::exclusive_scan; },
     [](Operation& o, const Draw&, int) { o.op = avg; }},
    {"other count on one side", Errc::invalid_argument,
     [](const Draw& d, int) { return has_scan_form(d) && is_even_and_apart(d); },
     [](Operation& o, const Draw&, int) { --o.receive.count; }},
    {"blocks that do not fit", Errc::invalid_argument,
     [](const Draw& d, int) {
       return is_even_and_apart(d) && (d.kind == Kind::all_gather || d.kind == Kind::all_to_all);
     },
     [](Operation& o, const Draw&, int) { ++o.send.count; }},
    {"a sum that does not fit its block", Errc::invalid_argument,
     [](const Draw& d, int) { return is_even_and_apart(d) && d.kind == Kind::reduce_scatter; },
     [](Operation& o, const Draw&, int) { ++o.receive.count; }},
    {"too many block counts", Errc::invalid_argument,
     [](const Draw& d, int) { return has_blocks_everywhere(d); },
     [](Operation& o, const Draw&, int size) {
       static std::vector<std::size_t> zeros;
       zeros.assign(static_cast<std::size_t>(size) + 1, 0);
       (o.kind == Kind::reduce_scatter ? o.send_blocks : o.receive_blocks) = Blocks(zeros);
     }},
    {"block counts that do not sum up", Errc::invalid_argument,
     [](const Draw& d, int) { return has_blocks_everywhere(d) && !d.offsets; },
     [](Operation& o, const Draw&, int) {
       ++(o.kind == Kind::reduce_scatter ? o.send : o.receive).count;
     }},
    {"a block that wraps round", Errc::invalid_argument,
     [](const Draw& d, int) { return has_blocks_everywhere(d); },
     [](Operation& o, const Draw&, int size) {
       static std::vector<std::size_t> ones, far;
       ones.assign(static_cast<std::size_t>(size), 1);
       far.assign(static_cast<std::size_t>(size), std::numeric_limits<std::size_t>::max());
       (o.kind == Kind::reduce_scatter ? o.send_blocks : o.receive_blocks) = Blocks(ones, far);
     }},
    {"sides that overlap", Errc::invalid_argument,
     [](const Draw& d, int) { return has_scan_form(d) && is_even_and_apart(d); },
     [](Operation& o, const Draw& d, int) {
       o.receive.data = o.send.data;
       shift(o.receive, test::element_size(d.type));
     }},
    {"more elements than memory holds", Errc::invalid_argument,
     [](const Draw& d, int) { return has_scan_form(d) && is_even_and_apart(d); },
     [](Operation& o, const Draw&, int) {
       o.send.count = o.receive.count = std::numeric_limits<std::size_t>::max() / 8;
     }},
    {"a scalar that the type cannot hold", Errc::invalid_argument,
     [](const Draw& d, int) { return d.reduces() && test::is_integer(d.type); },
     [](Operation& o, const Draw&, int) { o.op = pre_multiplied(0.5); }},
    {"a user's function of another type", Errc::invalid_argument,
     [](const Draw& d, int) {
       return d.reduces() && d.type != DataType::uint64 && test::is_integer(d.type);
     },
     [](Operation& o, const Draw&, int) { o.op = user_function(); }},
    {"a peer that there is not", Errc::invalid_argument,
     [](const Draw& d, int) { return is_message(d); },
     [](Operation& o, const Draw&, int size) { o.to = o.from = size; }},
    {"a peer below zero", Errc::invalid_argument, [](const Draw& d, int) { return is_message(d); },
     [](Operation& o, const Draw&, int) { o.to = o.from = -1; }},
    {"a tag of the library's", Errc::invalid_argument,
     [](const Draw& d, int) { return is_message(d); },
     [](Operation& o, const Draw&, int) { o.tag = INT_MAX; }},
    {"a tag on device memory", Errc::invalid_argument,
     [](const Draw& d, int) { return is_message(d) && d.on_device && d.counts[0][0] > 0; },
     [](Operation& o, const Draw&, int) { o.tag = 1; }},
    {"a tag below zero", Errc::invalid_argument, [](const Draw& d, int) { return is_message(d); },
     [](Operation& o, const Draw&, int) { o.tag = -1; }},
};

}  // namespace

const Spoil* draw_refusal(Random& random, const Draw& draw, int size) {
  for (int attempts = 0; attempts < 40; ++attempts) {
    const Spoil& spoil = refused_spoils[random.below(std::size(refused_spoils))];
    if (spoil.fits(draw, size)) return &spoil;
  }
  return nullptr;
}

}  // namespace tutti::fuzz
