// Counts by MPI's profiling interface.
#include "faults/handles.hpp"

#include <mpi.h>

#include <atomic>

namespace tutti::faults {
namespace {

std::atomic<int> alive{0};

int made(int result) {
  if (result == MPI_SUCCESS) ++alive;
  return result;
}

int made(int result, MPI_Comm comm) {
  return comm == MPI_COMM_NULL ? result : made(result);
}

int freed(int result) {
  if (result == MPI_SUCCESS) --alive;
  return result;
}

}  // namespace

int handles() noexcept {
  return alive;
}

}  // namespace tutti::faults

using tutti::faults::freed;
using tutti::faults::made;

extern "C" {
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* result) {
  return made(PMPI_Comm_dup(comm, result));
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* result) {
  const int code = PMPI_Comm_split(comm, color, key, result);
  return made(code, *result);
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result) {
  const int code = PMPI_Comm_split_type(comm, type, key, info, result);
  return made(code, *result);
}
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* result) {
  const int code = PMPI_Comm_create(comm, group, result);
  return made(code, *result);
}
int MPI_Comm_free(MPI_Comm* comm) {
  return freed(PMPI_Comm_free(comm));
}
int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* result) {
  return made(PMPI_Type_contiguous(count, type, result));
}
int MPI_Type_free(MPI_Datatype* type) {
  return freed(PMPI_Type_free(type));
}
int MPI_Op_create(MPI_User_function* function, int commutes, MPI_Op* op) {
  return made(PMPI_Op_create(function, commutes, op));
}
int MPI_Op_free(MPI_Op* op) {
  return freed(PMPI_Op_free(op));
}
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove,
                           int* key, void* state) {
  return made(PMPI_Comm_create_keyval(copy, remove, key, state));
}
int MPI_Comm_free_keyval(int* key) {
  return freed(PMPI_Comm_free_keyval(key));
}
}
