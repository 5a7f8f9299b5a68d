#!/bin/sh
# Runs one of our programs on the runtime of whoever asks for it: `bun run minion` on Bun, `npm run minion` on Node.
# Package scripts are the same for both, and a script that says `node` runs Node under Bun, too.
set -eu
program=$1
shift
file=${0%/*}/$program.ts
# Small young generations of V8, in MB: a daemon's memory comes to half. A master's is larger: with 1 MB, a third of a busy one's
# time goes into collections.
case "$program" in
salt-master) young=--max-semi-space-size=16 ;;
salt-minion | salt-syndic | salt-call) young=--max-semi-space-size=1 ;;
*) young= ;;
esac
case "${npm_config_user_agent-}" in
bun/*) exec "${npm_execpath:-bun}" "$file" "$@" ;;
deno/*) exec "${npm_execpath:-deno}" run -A ${young:+"--v8-flags=$young"} "$file" "$@" ;;
*) exec node ${young:+"$young"} "$file" "$@" ;;
esac
