#include "placing.hpp"

#include "core/text.hpp"

namespace tutti {

namespace {

using cuda::MemoryType;

void check_device_memory(const cuda::Placement& placement, const Operation& operation,
                         const MemoryView& side, const Dispatch& dispatch, int rank, int size) {
  const char* const name = &side == &operation.send ? "in" : "out";
  const auto where = [&] { return ErrorPlace{describe(operation), rank, size}; };
  if (placement.type == MemoryType::pageable)
    throw Error(Errc::invalid_argument,
                text("`", name, "` at ", side.data,
                     " is said to be device memory, but CUDA does not know it: it is "
                     "pageable host memory, or was freed"),
                where());
  if (placement.type == MemoryType::device && placement.device != dispatch.device().ordinal())
    throw Error(Errc::invalid_argument,
                text("`", name, "` at ", side.data, " is memory of device ", placement.device,
                     "; this communicator works on device ", dispatch.device().ordinal()),
                where());
}

// Staging could carry a tag, NCCL cannot: whether it works must not depend on who serves.
void check_tag(const Operation& operation, int rank, int size) {
  if (operation.tag != 0 && said_to_be_on_device(operation))
    throw Error(Errc::invalid_argument,
                text("tag ", operation.tag,
                     " on device memory: NCCL's messages have no tags, so it must be 0; messages "
                     "between two ranks arrive in the order in which they were sent"),
                {describe(operation), rank, size});
}

}  // namespace

void place(Operation& operation, CheckedMemory& checked, const Dispatch& dispatch, int rank,
           int size) {
  for (MemoryView* const side : {&operation.send, &operation.receive}) {
    if (!side->given || side->count == 0 || side->data == nullptr) continue;
    if (side->kind == MemoryKind::host) continue;
    const bool said = side->kind == MemoryKind::device;
    // Without a device there is nothing to check against, and no backend will take it.
    if (said && (checked.holds(side->data) || !dispatch.device())) continue;
    const cuda::Placement placement = cuda::placement_of(side->data);
    if (!said) {
      const bool device =
          placement.type == MemoryType::device || placement.type == MemoryType::managed;
      side->kind = device ? MemoryKind::device : MemoryKind::host;
    }
    if (side->kind != MemoryKind::device || !dispatch.device()) continue;
    check_device_memory(placement, operation, *side, dispatch, rank, size);
    if (said) checked.add(side->data);
  }
  check_tag(operation, rank, size);
}

}  // namespace tutti
