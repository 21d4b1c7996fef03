#!/bin/sh
# The compiler wrapper of an MPI that was built from source names its libraries' directory for the
# loader in two words, "-Wl,-rpath -Wl,DIRECTORY": a build takes both, and installed programs find MPI.
. "${0%/*}/common.sh"

real=$(command -v mpicxx) || exit 77 # no wrapper, nothing to take apart
mkdir "$work/bin" "$work/lib"
printf '#!/bin/sh\ncase $1 in -show*) echo "$(%s -show) -Wl,-rpath -Wl,%s" ;; *) exec %s "$@" ;; esac\n' \
  "$real" "$work/lib" "$real" >"$work/bin/mpicxx"
chmod +x "$work/bin/mpicxx"

PATH=$work/bin:$PATH meson setup "$work/build" "$SOURCE" -Dnccl=disabled -Dtools=disabled -Dtests=disabled \
  >"$work/log" 2>&1 || { cat "$work/log"; fail 'meson setup'; }
# Where the compiler needs no wrapper to find MPI, none is asked.
grep -q 'MPI_Init without further arguments.*YES' "$work/log" && exit 77
grep -q -e "-Wl,-rpath,$work/lib" "$work/build/build.ninja" || fail 'the directory is lost'
