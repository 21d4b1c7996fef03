// Says what it does of what the environment names: "record" where TUTTI_RECORD is followed, "tune"
// where TUTTI_TUNE is (the file is none), and the libraries say so themselves when they are opened.
// Run without a launcher, once as usual and once set-uid; linked statically, because the loader
// looks less far for the libraries of a set-uid program.
#include <sys/auxv.h>

#include <cstdio>
#include <string>

#include "support/program.hpp"
#include "tutti/environment.hpp"

using namespace tutti::test;

namespace {

void use(const tutti::Options& options) try {
  const tutti::Communicator world(MPI_COMM_WORLD, options);
  require_works(world);
} catch (const tutti::Error& error) {
  // No NCCL: the library that was named is none.
  if (error.code() == tutti::Errc::unsupported || error.code() == tutti::Errc::library) return;
  require_in(error.what(), "TUTTI_TUNE");
  std::puts("tune");
}

}  // namespace

int main(int argc, char** argv) {
  std::puts(getauxval(AT_SECURE) != 0 ? "set-uid" : "ordinary");
  tutti::Environment environment(argc, argv);
  use({});
  tutti::Options options;
  options.nccl = tutti::NcclPolicy::required;
  use(options);
  return 0;
}
