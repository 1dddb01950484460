#!/bin/sh
# Run by: forewarn with --fleet ../fleet.toml -- ./test.sh
# `forewarn with` has named its server in the environment, where the command finds it too.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'kill "$handler" 2>/dev/null; rm -r "$work"' EXIT

fail() { echo "failed: $1" >&2; forewarn events --all >&2; exit 1; }
ask() { curl --silent --fail --header "Authorization: Bearer $FOREWARN_TOKEN" "$FOREWARN_SERVER/forewarn/v1$1"; }
approved() { ! ask "/events/$1" | grep -q '"approvals":\[\]'; }
phase() { ask "/events/$1" | sed 's/.*"phase":"\([^"]*\)".*/\1/'; }
schedule() { forewarn --json schedule Reboot "$1" | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p' | head -n 1; }

metadata=$(ask /machines/db-0 | sed 's/.*"metadata_url":"\([^"]*\)".*/\1/')
PAUSE=0.05 ./handler.sh "$metadata" db-0 sh -c "echo \$0 >> $work/drained" &
handler=$!

others=$(schedule db-1)
own=$(schedule db-0)
left=200
until approved "$own"; do
  left=$((left - 1))
  [ $left -gt 0 ] || fail "its own event is never approved"
  sleep 0.05
done
forewarn clock advance 15m # a quarter of an hour, at once

[ "$(phase "$own")" = Completed ] || fail "its own event is $(phase "$own")"
[ "$(phase "$others")" != Scheduled ] || fail "the other's event should have started by itself"
! approved "$others" || fail "it approved the other's event"
[ "$(cat "$work/drained")" = "$own" ] || fail "it drained for $(cat "$work/drained")"
echo "it drains and approves its own events only: ok"
