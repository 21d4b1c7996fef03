# shellcheck shell=bash
# What test/run and benchmarks/run share: finds or installs what the build needs, and configures
# and builds. Sourced, with $root set. Libraries count as present when Meson finds them, wherever they come
# from: the system, pkg-config, or sources that lie in subprojects/ already. Nothing is downloaded
# but by apt-get, and apt-get is called only when something is missing.
set -euo pipefail
: "${root:?}"

# mpirun refuses root, and more ranks than cores, unless told; Open MPI 4, then 5. MPICH never does.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

have() { command -v "$1" >/dev/null 2>&1; }

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

missing_programs() {
  have meson || echo meson
  have ninja || have ninja-build || have samu || echo ninja-build
  [[ -n ${CXX:-} ]] || have c++ || have g++ || have clang++ || echo g++
  have pkg-config || have pkgconf || echo pkg-config
  have mpirun && have mpicxx || echo openmpi-bin libopenmpi-dev
}

missing_libraries() {
  local pair
  for pair in gtest:libgtest-dev CLI11:libcli11-dev nlohmann_json:nlohmann-json3-dev fmt:libfmt-dev; do
    have pkg-config && pkg-config --exists "${pair%%:*}" || echo "${pair#*:}"
  done
}

# can_install: whether apt-get can be used here without asking anybody.
can_install() {
  have apt-get || return 1
  [[ $EUID -eq 0 ]] || { have sudo && sudo -n true 2>/dev/null; }
}

# install_packages PACKAGE...: false if they cannot be had. What apt-get said is shown on failure.
install_packages() {
  local log as_root=()
  can_install || return 1
  [[ $EUID -eq 0 ]] || as_root=(sudo -n)
  log=$(mktemp)
  echo "installing: $*"
  if {
    "${as_root[@]}" apt-get update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends "$@"
  } </dev/null >"$log" 2>&1; then
    rm -f "$log"
    return 0
  fi
  tail -n 5 "$log" >&2
  rm -f "$log"
  return 1
}

# need_packages PACKAGE...: as install_packages, but there is no going on without them.
need_packages() {
  install_packages "$@" && return
  die "These packages are missing here. Type, and start again:
  sudo apt-get install $*"
}

# configure DIRECTORY [MESON OPTION...]: does nothing if that was done already in the same way.
configure() {
  local build=$1 stamp
  shift
  stamp="$root $* ${CXX:-} $(mpicxx -show 2>/dev/null || true)"
  if [[ -f $build/build.ninja && -f $build/stamp && $(<"$build/stamp") == "$stamp" ]]; then
    return 0
  fi
  rm -rf "$build"
  meson setup "$build" "$root" --wrap-mode=nodownload -Dtests=enabled -Dtools=enabled "$@" || return 1
  printf '%s' "$stamp" >"$build/stamp"
}

# prepare DIRECTORY [MESON OPTION...]: installs what is missing, if anything is, and configures.
prepare() {
  local log packages
  log=$(mktemp)
  mapfile -t packages < <(missing_programs | tr ' ' '\n')
  if [[ ${#packages[@]} -eq 0 ]] && configure "$@" >"$log" 2>&1; then
    rm -f "$log"
    return
  fi
  mapfile -t -O "${#packages[@]}" packages < <(missing_libraries)
  if [[ ${#packages[@]} -gt 0 ]]; then
    need_packages "${packages[@]}"
    configure "$@" >"$log" 2>&1 && rm -f "$log" && return
  fi
  cat "$log" >&2
  rm -f "$log"
  die "Meson could not configure $1"
}

# build DIRECTORY [TARGET...]: prints only what went wrong.
build() {
  local log build=$1
  shift
  log=$(mktemp)
  if ! meson compile -C "$build" "$@" >"$log" 2>&1; then
    grep -v '^\[[0-9]*/[0-9]*\] [CLG]' "$log" | tail -n 100 >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
}
