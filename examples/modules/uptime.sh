#!/bin/sh
# A custom module in shell: one function without arguments does not even have to read what it is told.
case "$1" in
  describe)
    if [ ! -r /proc/uptime ]; then
      echo '{"functions": {}, "virtual": {"unavailable": "there is no /proc/uptime"}}'
    else
      echo '{"functions": {"seconds": {"signature": "", "doc": "Seconds since this host was started."}}}'
    fi
    ;;
  call)
    read -r seconds _ < /proc/uptime
    printf '{"return": %s, "retcode": 0}\n' "${seconds%.*}"
    ;;
esac
