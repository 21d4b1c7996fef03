#!/bin/sh
# Usage: runtimes.sh RUN_MPI STORIES CUDART_12 CUDART_13
#
# Which CUDA runtime is opened where the loader finds one or several (case 140).
set -eu
run_mpi=$1 stories=$2 twelve=$3 thirteen=$4
unset TUTTI_CUDART_LIBRARY CUDA_HOME CUDA_PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fakes=$(dirname "$(dirname "$twelve")")

# Each folder is looked at before the machine's own; an empty file stands for a version that it lacks.
opens() {
  name=$1 expected=$2
  LD_LIBRARY_PATH="$folder/$name:$fakes" EXPECTED_RUNTIME="$folder/$name/$expected" \
    "$run_mpi" 1 "$stories" runtime_of_the_loader
  echo "ok $name: $expected"
}
lacks() {
  mkdir -p "$folder/$1"
  for major in 11 12 13 14; do : >"$folder/$1/libcudart.so.$major"; done
}
for name in twelve thirteen both; do lacks $name; done
cp "$twelve" "$folder/twelve/libcudart.so.12"
cp "$thirteen" "$folder/thirteen/libcudart.so.13"
cp "$twelve" "$folder/both/libcudart.so.12"
cp "$thirteen" "$folder/both/libcudart.so.13"
opens twelve libcudart.so.12
opens thirteen libcudart.so.13
opens both "${BUILT_FOR:-libcudart.so.13}"
# One that is there already is the application's choice.
preloaded=$folder/both/libcudart.so.12
LD_LIBRARY_PATH="$folder/both:$fakes" EXPECTED_RUNTIME="$preloaded" \
  "$run_mpi" 1 env LD_PRELOAD="$preloaded" "$stories" runtime_of_the_loader
