#!/bin/sh
# What must not compile does not, and the compiler's message holds tutti's own words.
# Usage: refused.sh SOURCE INCLUDE_DIRECTORY COMPILER...
set -u
source=$1 include=$2
shift 2
compile() { number=$1; shift; "$@" -std=c++20 -fsyntax-only -I"$include" -DREFUSE="$number" "$source" 2>&1; }
compile 0 "$@" || { echo "FAILED: the control does not compile"; exit 1; }
failed=0
for number in $(sed -n 's/^#elif REFUSE == \([0-9]*\) .*/\1/p' "$source"); do
  text=$(sed -n "s/^#elif REFUSE == $number  *\/\/ text: //p" "$source")
  if output=$(compile "$number" "$@"); then
    echo "FAILED: $number compiles, but '$text' was expected"
    failed=1
  elif ! echo "$output" | grep -qF "$text"; then
    echo "FAILED: $number says something else than '$text':"
    echo "$output" | head -20
    failed=1
  else
    echo "$number: refused: $text"
  fi
done
exit $failed
