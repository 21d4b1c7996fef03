#!/bin/sh
# A project that has tutti as a Meson subproject: builds, runs, and neither builds nor runs our tests.
. "${0%/*}/common.sh"

cp -r "$SOURCE/test/consume/app" "$work/consumer"
mkdir "$work/consumer/subprojects"
ln -s "$SOURCE" "$work/consumer/subprojects/tutti"
cat >"$work/consumer/subprojects/tutti.wrap" <<END
[wrap-git]
url = https://example.invalid/tutti.git
revision = v0.1.0

[provide]
dependency_names = tutti
END

cd "$work/consumer" || exit 1
# What is built is built elsewhere too: here, in the quickest way.
meson setup build --wrap-mode=nodownload --force-fallback-for=tutti -Dtutti:default_library=static \
  -Doptimization=0 -Drun_mpi="$RUN_MPI"
meson compile -C build
meson test -C build --no-rebuild --print-errorlogs
[ "$(wc -l <build/meson-logs/testlog.json)" -eq 1 ] || fail 'the consumer ran tests that are not its own'
programs=$(find build/subprojects -type f -perm -u+x ! -name '*.so*' ! -name '*.a' ! -name '*.o')
[ -z "$programs" ] || fail "the consumer built programs that are not its own: $programs"
