#!/bin/sh
# Prints two lines: the directory of cuda_runtime_api.h and that of nccl.h, empty where there is none.
# usage: find-headers.sh ROOT   (empty: the usual places)
# NCCL's header often lies apart from CUDA's: in /usr/include by its Debian package, or in a Python
# environment, whose wheels carry both.

wheels() {
  python3 -c 'import sysconfig; print(sysconfig.get_path("purelib") + "/nvidia")' 2>/dev/null
}

# first HEADER DIRECTORY...: the first directory that holds HEADER.
first() {
  header=$1
  shift
  for directory in "$@"; do
    case $directory in /*) ;; *) continue ;; esac
    if [ -f "$directory/$header" ]; then
      printf '%s\n' "$directory"
      return
    fi
  done
  echo
}

if [ -n "$1" ]; then
  # Asked for by name: nothing else may stand in for a wrong path, except for a separate NCCL.
  case $1 in /*) root=$1 ;; *) root=$PWD/$1 ;; esac
  first cuda_runtime_api.h "$root/include" "$root/targets/x86_64-linux/include"
else
  root=
  wheel=$(wheels)
  first cuda_runtime_api.h ${CUDA_PATH:+"$CUDA_PATH/include"} ${CUDA_HOME:+"$CUDA_HOME/include"} \
    /usr/local/cuda/include /usr/include "$wheel"/cu[0-9]*/include "$wheel/cuda_runtime/include"
fi
wheel=${wheel:-$(wheels)}
first nccl.h ${root:+"$root/include"} ${NCCL_HOME:+"$NCCL_HOME/include"} \
  ${CUDA_PATH:+"$CUDA_PATH/include"} ${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda/include \
  /usr/include /usr/local/include "$wheel/nccl/include"
