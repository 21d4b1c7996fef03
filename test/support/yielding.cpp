// MPICH looks for messages without a pause. Where ranks outnumber cores it uses up, in each
// operation, the time slice of whom it waits for. Loaded before MPICH, this gives the core away
// when a look at the network (UCX) has found nothing; an MPICH on another network never comes here.
#include <dlfcn.h>
#include <sched.h>

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned (*)(void*);
  static const auto progress = reinterpret_cast<Progress>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned found = progress(worker);
  if (found == 0) sched_yield();
  return found;
}
