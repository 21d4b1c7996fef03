// Operations that are valid on each rank, but not together: one rank's differs.
#include "fuzz/spoil.hpp"
#include "support/elements.hpp"
#include "support/reference.hpp"

namespace tutti::fuzz {
namespace {

using Kind = OperationKind;

bool is_collective(const Draw& d) {
  return d.messages == Messages::none;
}

bool has_one_count(const Draw& d) {
  return d.kind == Kind::all_reduce || d.kind == Kind::reduce || d.kind == Kind::broadcast ||
         d.kind == Kind::scan || d.kind == Kind::exclusive_scan;
}

DataType sibling(DataType type) {
  for (const DataType other : all_data_types)
    if (other != type && test::element_size(other) == test::element_size(type) &&
        test::element_alignment(other) == test::element_alignment(type))
      return other;
  return type;
}

const Spoil mismatching_spoils[] = {
    {"another operation", Errc::mismatch,
     [](const Draw& d, int) { return is_collective(d) && d.kind != Kind::barrier; },
     [](Operation& o, const Draw&, int) { o = barrier(); }},
    {"another count", Errc::mismatch,
     [](const Draw& d, int) { return has_one_count(d) && d.counts[0][0] > 0; },
     [](Operation& o, const Draw&, int) {
       if (o.send.count > 0) --o.send.count;
       if (o.receive.count > 0) --o.receive.count;
     }},
    {"another size of blocks", Errc::mismatch,
     [](const Draw& d, int) {
       return d.kind == Kind::all_gather && !d.uneven && d.place == Place::apart &&
              d.counts[0][0] > 0;
     },
     [](Operation& o, const Draw&, int size) {
       --o.send.count;
       o.receive.count -= static_cast<std::size_t>(size);
     }},
    {"another type", Errc::mismatch,
     [](const Draw& d, int) {
       if (!is_collective(d) || d.kind == Kind::barrier || sibling(d.type) == d.type) return false;
       return !d.reduces() || (d.reduction < ReduceOp::Kind::pre_multiplied &&
                               test::defined(d.reduction, sibling(d.type)));
     },
     [](Operation& o, const Draw& d, int) { o.send.type = o.receive.type = sibling(d.type); }},
    {"another root", Errc::mismatch,
     [](const Draw& d, int) {
       return d.kind == Kind::broadcast || (d.kind == Kind::reduce && d.place != Place::apart);
     },
     [](Operation& o, const Draw&, int size) { o.root = (o.root + 1) % size; }},
    {"another reduction", Errc::mismatch,
     [](const Draw& d, int) { return d.reduces() && d.reduction == ReduceOp::Kind::sum; },
     [](Operation& o, const Draw&, int) { o.op = prod; }},
    {"a deadline", Errc::mismatch, [](const Draw& d, int) { return is_collective(d); },
     [](Operation& o, const Draw&, int) { o.timeout = std::chrono::hours(1); }},
};

}  // namespace

const Spoil* draw_mismatch(Random& random, const Draw& draw, int size) {
  if (size < 2) return nullptr;
  for (int attempts = 0; attempts < 20; ++attempts) {
    const Spoil& spoil = mismatching_spoils[random.below(std::size(mismatching_spoils))];
    if (spoil.fits(draw, size)) return &spoil;
  }
  return nullptr;
}

}  // namespace tutti::fuzz
