# shellcheck shell=sh
# Sourced by the consumption tests. Meson sets SOURCE, BUILD, PREFIX, RUN_MPI and CXX.
set -eu
: "${SOURCE:?}" "${BUILD:?}" "${PREFIX:?}" "${RUN_MPI:?}" "${CXX:?}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# install_moved DIRECTORY: what `meson install` installs, with the prefix moved to DIRECTORY, and
# pkg-config told where.
install_moved() {
  meson install -C "$BUILD" --no-rebuild --quiet --destdir "$work/stage"
  mv "$work/stage$PREFIX" "$1"
  pc=$(find "$1" -name tutti.pc)
  export PKG_CONFIG_PATH="${pc%/*}${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
}
