#!/bin/sh
# A job can upgrade or remove its own minion: dpkg then runs below the minion. If the minion ended there, the job and dpkg would end
# too.
#
#   after-job COMMAND…    runs the command after the end of that job, at most a day later;
#                         code 1 if this does not run below the minion
#   after-job --daemon    restarts a minion that was started with -d, on systems without systemd
#
# A job in the minion's process (multiprocessing: False) has no process: then the script waits for the command.
set -eu

MOST_SECONDS=86400

minion_process() {
  minion=$(cat /run/salt-minion.pid 2>/dev/null) || minion=
  if [ -z "$minion" ] && [ -d /run/systemd/system ]; then
    minion=$(systemctl show --property=MainPID --value salt-minion.service 2>/dev/null) || minion=
  fi
  case $minion in "" | 0 | *[!0-9]*) return 1 ;; esac
  printf %s "$minion"
}

parent_of() { sed -n 's/^PPid:[^0-9]*//p' "/proc/$1/status" 2>/dev/null; }

# The process of the job that this runs in. One that has left its parents is still in the minion's control group.
job_process() {
  minion=$(minion_process) || minion=none
  process=$$
  highest=
  while [ -n "$process" ] && [ "$process" -gt 1 ]; do
    if grep -q '/salt-minion\.service' "/proc/$process/cgroup" 2>/dev/null; then highest=$process; fi
    parent=$(parent_of "$process") || return 1
    if [ "$parent" = "$minion" ]; then
      printf %s "$process"
      return 0
    fi
    process=$parent
  done
  [ -n "$highest" ] || return 1
  printf %s "$highest"
}

# When a process began, which tells it from a later one with its number; nothing once it has ended.
began() {
  line=
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || true
  # Behind its name, which may hold anything.
  line=${line##*) }
  case $line in "" | Z* | X*) return 0 ;; esac
  # shellcheck disable=SC2086 # words
  set -- $line
  shift 19
  printf %s "$1"
}

wait_for_end() {
  first=$(began "$1")
  left=$2
  while [ -n "$first" ] && [ "$(began "$1")" = "$first" ] && [ "$left" -gt 0 ]; do
    sleep 1
    left=$((left - 1))
  done
}

leave() {
  job=$(job_process) || return 1
  if [ -d /run/systemd/system ] &&
    systemd-run --quiet --collect --property=Type=exec --unit="salt-minion-after-$job" "$0" --wait "$job" "$@" 2>/dev/null; then return 0; fi
  # In a session of its own, and with nothing open that the job waits for.
  setsid "$0" --wait "$job" "$@" </dev/null >/dev/null 2>&1 &
}

leave_daemon() {
  minion=$(minion_process) || return 0
  job_process >/dev/null || return 0
  # A word of its command line on each line.
  words=$(tr '\0' '\n' <"/proc/$minion/cmdline")
  set -f
  IFS='
'
  # shellcheck disable=SC2086 # words
  set -- $words
  unset IFS
  case " $* " in
  *" -d "* | *" --daemon "*) leave "$0" --again "$minion" "$@" ;;
  *) echo "brine-minion: the old minion runs until whoever started it starts it again" >&2 ;;
  esac
}

again() {
  minion=$1
  shift
  kill "$minion" || return 0
  wait_for_end "$minion" 30
  # What dpkg gives to its scripts is nothing for a daemon.
  # shellcheck disable=SC2046 # names
  unset DEBIAN_FRONTEND $(env | sed -n 's/^\(DPKG_[A-Z_]*\)=.*/\1/p')
  exec "$@"
}

case ${1-} in
--wait)
  job=$2
  shift 2
  wait_for_end "$job" "$MOST_SECONDS"
  # Time for its return.
  sleep 2
  exec "$@"
  ;;
--again)
  shift
  again "$@"
  ;;
--daemon) leave_daemon ;;
*) leave "$@" ;;
esac
