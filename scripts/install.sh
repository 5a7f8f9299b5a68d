#!/bin/sh
# Installs Brine on a host, for a POSIX shell. `sh install.sh --help` tells how.
set -eu
umask 022
export LC_ALL=C

usage() {
  cat <<'END'
Usage: sh install.sh ROLE [OPTION]…
       sh install.sh --uninstall

Roles: minion, master, gateway (the HTTP API and the console), syndic, cli (no daemon), all (minion, master and gateway)

Options of a minion:
  --master HOST          its master; several with commas between them
  --master-port PORT     the master's port for requests, if not 4506
  --id ID                its id; default: from the host's name
  --fingerprint SHA256   of the master's key: the minion refuses any other master

Source and destination:
  --from DIR|URL         folder or address of the files; default: the folder of this script
  --sums SHA256          the expected hash of SHA256SUMS; required with http://
  --target KIND          linux-x64, linux-arm64, linux-x64-musl or linux-arm64-musl; default: this machine's
  --prefix DIR           default: /usr/local
  --root DIR             installs into another system at DIR; starts no daemon
  --no-start             enables and starts no daemon
  --deb                  installs the Debian packages of the folder, with dpkg; not from a URL

  --force                replaces different configuration (and keeps a copy) and programs
  --dry-run              prints the steps
  --uninstall            removes programs and units; keeps configuration, keys and logs
END
}

say() { printf '%s\n' "$*"; }
die() {
  printf 'install.sh: %s\n' "$1" >&2
  exit "${2-1}"
}
misused() { die "$1; see: sh install.sh --help" 64; }

# A word as a shell would read it.
quoted() {
  case $1 in
  "" | *[!A-Za-z0-9_./:=,@%+-]*) printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")" ;;
  *) printf %s "$1" ;;
  esac
}

# Runs a command that changes the system; with --dry-run it is only said.
run() {
  if [ -z "$dry_run" ]; then
    "$@"
    return
  fi
  line=
  for word; do line="$line $(quoted "$word")"; done
  say "would run:$line"
}

has() { command -v "$1" >/dev/null 2>&1; }

sha256_of() {
  if has sha256sum; then
    sum=$(sha256sum <"$1") || return 1
  elif has shasum; then
    sum=$(shasum -a 256 <"$1") || return 1
  elif has openssl; then
    sum=$(openssl dgst -sha256 -r <"$1") || return 1
  else
    die "no program for SHA-256 found: install coreutils or openssl"
  fi
  printf %s "${sum%% *}"
}

# --- What was asked for ------------------------------------------------------------------------------------------------------------

needs_word() { [ "$2" -ge 2 ] || misused "$1 needs a value"; }

parse() {
  roles='' master='' master_port='' id='' fingerprint='' from='' sums='' target='' prefix=/usr/local root=''
  start=1 deb='' force='' dry_run='' uninstall=''
  while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
      usage
      exit 0
      ;;
    --force) force=1 ;;
    --dry-run) dry_run=1 ;;
    --uninstall) uninstall=1 ;;
    --no-start) start='' ;;
    --deb) deb=1 ;;
    --master | --master-port | --id | --fingerprint | --from | --sums | --target | --prefix | --root)
      needs_word "$1" $#
      [ -n "$2" ] || misused "$1 needs a value, not an empty one"
      case $1 in
      --master) master=$2 ;;
      --master-port) master_port=$2 ;;
      --id) id=$2 ;;
      --fingerprint) fingerprint=$2 ;;
      --from) from=$2 ;;
      --sums) sums=$2 ;;
      --target) target=$2 ;;
      --prefix) prefix=$2 ;;
      --root) root=$2 ;;
      esac
      shift
      ;;
    --*=*)
      word=$1
      shift
      set -- "" "${word%%=*}" "${word#*=}" "$@"
      ;;
    minion | master | gateway | syndic | cli) roles="$roles $1" ;;
    api) roles="$roles gateway" ;;
    all) roles="$roles master minion gateway" ;;
    *) misused "unknown role or option \"$1\"" ;;
    esac
    shift
  done
}

# Each line of a word has only characters of a set; grep would accept a word of two lines of which one is right.
only() {
  case $1 in *"$newline"*) return 1 ;; esac
  printf '%s\n' "$1" | grep -Eq "^$2\$"
}
newline='
'

check() {
  if [ -n "$uninstall" ]; then
    [ -z "$roles" ] || misused "--uninstall takes no role"
  else
    [ -n "$roles" ] || misused "no role: minion, master, gateway, syndic, cli or all"
  fi
  has_role minion || [ -z "$master$master_port$id$fingerprint" ] || misused "--master, --master-port, --id and --fingerprint are for minions"
  [ -z "$id" ] || only "$id" '[A-Za-z0-9_][A-Za-z0-9_.@-]{0,199}' ||
    misused "the id \"$id\" is not valid: use letters, digits, dots, hyphens, underscores and @"
  [ -z "$master" ] || only "$master" '[][A-Za-z0-9_:.-]+(,[][A-Za-z0-9_:.-]+)*' ||
    misused "the master \"$master\" is not a host name or address"
  if [ -n "$master_port" ]; then
    { only "$master_port" '[1-9][0-9]{0,4}' && [ "$master_port" -le 65535 ]; } || misused "\"$master_port\" is not a port: expected 1 to 65535"
  fi
  if [ -n "$fingerprint" ]; then
    fingerprint=$(printf %s "$fingerprint" | tr 'A-F' 'a-f')
    only "$fingerprint" '[0-9a-f]{2}(:[0-9a-f]{2}){31}' ||
      misused "the fingerprint \"$fingerprint\" is not a SHA-256: expected 32 pairs of hexadecimal digits with colons, as \"salt-key -f master.pub\" shows it"
  fi
  [ -z "$sums" ] || only "$sums" '[0-9a-f]{64}' || misused "the sum \"$sums\" is not a SHA-256: expected 64 hexadecimal digits"
  case $prefix in /*) ;; *) misused "the prefix \"$prefix\" does not begin with /" ;; esac
  only "$prefix" '[A-Za-z0-9_./+-]+' || misused "the prefix \"$prefix\" has characters that a unit cannot have"
  prefix=${prefix%/}
  if [ -n "$root" ]; then
    [ -d "$root" ] || misused "the directory \"$root\" does not exist"
    root=$(cd "$root" && pwd -P)
    [ "$root" != / ] || root=
  fi
  [ -z "$root" ] || start=
  [ -n "$dry_run" ] || [ -w "${root:-/}" ] || die "run this as root: it writes to ${root:-/}$prefix and /etc"
}

has_role() { case " $roles " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }

# The daemons of the roles, in the order in which they are started.
daemons() {
  for name in master minion syndic; do if has_role "$name"; then say "salt-$name"; fi; done
  if has_role gateway; then say salt-api; fi
}

# A directory of the system that is installed to. With --root, a link in that system must not lead out of it.
inside() {
  there=$1
  while [ ! -d "$there" ]; do
    there=${there%/*}
    [ -n "$there" ] || there=/
  done
  real=$(cd "$there" && pwd -P)
  case $real/ in "$root"/*) ;; *) die "$1 leads out of $root, to $real" ;; esac
}

make_dir() {
  inside "$1"
  [ -d "$1" ] || run mkdir -p "$1"
}

# --- Where it comes from -----------------------------------------------------------------------------------------------------------

find_source() {
  if [ -z "$from" ]; then
    # Read from a pipe, a script stands nowhere.
    case $0 in */*) here=${0%/*} ;; *) here=. ;; esac
    { [ -f "$here/${0##*/}" ] && [ "${0##*/}" != sh ]; } || misused "--from is needed when this script does not come from a file"
    from=$here
  fi
  case $from in
  https://* | http://*)
    only "$from" '[][A-Za-z0-9._~:/?#@!$&()*+,;=%-]+' || misused "\"$from\" is not a URL"
    from=${from%/}
    [ -z "$deb" ] || misused "--deb needs a folder"
    case $from in http://*) [ -n "$sums" ] || misused "--sums is required with http://, because others on the network can change the files" ;; esac
    has curl || find_wget
    ;;
  *://*) misused "the address \"$from\" is neither https:// nor http://" ;;
  *)
    [ -d "$from" ] || die "the directory \"$from\" does not exist"
    from=$(cd "$from" && pwd -P)
    ;;
  esac
}

# GNU's wget; that of BusyBox does not look at certificates, so that what it gets has to be known.
find_wget() {
  has wget || die "curl and wget are missing: copy the folder to this host, and use --from DIR"
  wget_https=
  if ! wget --help 2>&1 | grep -q -e --https-only; then
    [ -n "$sums" ] || misused "--sums is required with this wget, which checks no certificates; or install curl"
    return 0
  fi
  case $from in https://*) wget_https=--https-only ;; esac
}

find_target() {
  [ -n "$target" ] || {
    [ "$(uname -s)" = Linux ] || die "Brine is not built for $(uname -s): Linux only"
    case $(uname -m) in
    x86_64 | amd64) machine=x64 loader=x86_64 ;;
    aarch64 | arm64) machine=arm64 loader=aarch64 ;;
    *) die "Brine is not built for the processor $(uname -m): only x86_64 and aarch64" ;;
    esac
    target=linux-$machine
    if [ -e "$root/lib64/ld-linux-x86-64.so.2" ] || [ -e "$root/lib/ld-linux-aarch64.so.1" ]; then :; elif [ -e "$root/lib/ld-musl-$loader.so.1" ]; then
      target=$target-musl
      [ -e "$root/usr/lib/libstdc++.so.6" ] || die "libstdc++ is missing: run apk add libstdc++"
    fi
  }
  case $target in
  linux-x64 | linux-arm64 | linux-x64-musl | linux-arm64-musl) ;;
  *) misused "unknown target \"$target\": expected linux-x64, linux-arm64, linux-x64-musl or linux-arm64-musl" ;;
  esac
}

# get NAME: a file of the source, in the staging directory.
get() {
  case $from in
  http*)
    if has curl; then
      curl --fail --silent --show-error --location --proto-redir =https --output "$stage/$1" "$from/$1"
    else
      # shellcheck disable=SC2086 # nothing, or one word
      wget -q $wget_https -O "$stage/$1" "$from/$1"
    fi || die "cannot get $from/$1"
    ;;
  *)
    [ -f "$from/$1" ] || die "$from/$1 is missing"
    cp "$from/$1" "$stage/$1"
    ;;
  esac
}

# get_sound NAME: a file whose copy here, which nobody else can write to, has the sum that SHA256SUMS says.
get_sound() {
  get "$1"
  want=
  while read -r sum name; do
    if [ "${name#\*}" = "$1" ]; then want=$sum; fi
  done <"$stage/SHA256SUMS"
  [ -n "$want" ] || die "$from/SHA256SUMS does not have $1"
  found=$(sha256_of "$stage/$1")
  [ "$found" = "$want" ] || die "$1 is not the file in SHA256SUMS: its hash is $found, expected $want"
}

make_stage() {
  if [ -n "$dry_run" ]; then
    stage=$(mktemp -d "${TMPDIR:-/tmp}/brine-install.XXXXXXXXXX")
  else
    make_dir "$bin"
    # In a directory of root's, and on the same file system: what is sound is moved to its place, whole.
    stage=$(mktemp -d "$bin/.brine-install.XXXXXXXXXX")
  fi
  trap 'rm -rf "$stage"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}

stage_files() {
  get SHA256SUMS
  if [ -n "$sums" ]; then
    found=$(sha256_of "$stage/SHA256SUMS")
    [ "$found" = "$sums" ] || die "SHA256SUMS is not the file of --sums: its hash is $found, expected $sums"
  fi
  get_sound "brine-$target"
  chmod 755 "$stage/brine-$target"
  get_sound after_job.sh
  for daemon in $(daemons); do get_sound "$daemon.service"; done
  for program in brine $(programs); do get_sound "$program.1"; done
  for shell in bash zsh fish; do get_sound "completion.$shell"; done
  # A file for another kind of machine, or a system that lacks a library, shows before anything is replaced.
  if [ -z "$root" ] && [ -z "$dry_run" ]; then
    "$stage/brine-$target" salt-call --version >/dev/null || die "brine-$target does not run here: see the message above"
  fi
}

# --- Programs ----------------------------------------------------------------------------------------------------------------------

PROGRAMS='salt salt-key salt-run salt-call salt-cp salt-ssh salt-doctor'

programs() {
  say "$PROGRAMS"
  daemons
}

# Programs that somebody else has put there.
check_programs() {
  [ -z "$force" ] || return 0
  for program in $(programs); do
    place=$bin/$program
    { [ -e "$place" ] || [ -L "$place" ]; } || continue
    [ "$(readlink "$place" || true)" = brine ] ||
      die "$place is another program: remove it, or use another --prefix, or --force"
  done
}

install_programs() {
  run mv -f "$stage/brine-$target" "$bin/brine"
  for program in $(programs); do
    [ "$(readlink "$bin/$program" || true)" = brine ] || run ln -sf brine "$bin/$program"
  done
  make_dir "$root$prefix/lib/brine"
  chmod 755 "$stage/after_job.sh"
  run mv -f "$stage/after_job.sh" "$root$prefix/lib/brine/after-job"
  [ -n "$dry_run" ] || say "installed $bin/brine and its links"
}

# Manual pages, and what shells complete command lines with.
install_pages() {
  share=$root$prefix/share
  for program in brine $(programs); do place page 644 "$share/man/man1/$program.1" <"$stage/$program.1"; done
  place completion 644 "$share/bash-completion/completions/salt" <"$stage/completion.bash"
  place completion 644 "$share/zsh/site-functions/_salt" <"$stage/completion.zsh"
  place completion 644 "$share/fish/vendor_completions.d/salt.fish" <"$stage/completion.fish"
  for program in $(programs); do
    case $program in salt | salt-ssh) continue ;; esac
    for link in bash-completion/completions/$program:salt fish/vendor_completions.d/$program.fish:salt.fish; do
      [ "$(readlink "$share/${link%%:*}" || true)" = "${link#*:}" ] || run ln -sf "${link#*:}" "$share/${link%%:*}"
    done
  done
}

# Only what this script, or a package of Brine, has put there.
remove_pages() {
  share=$root$prefix/share
  for program in brine $PROGRAMS salt-master salt-minion salt-api salt-syndic; do
    page=$share/man/man1/$program.1
    if grep -qs '"Brine ' "$page"; then run rm -f "$page"; fi
    for link in bash-completion/completions/$program:salt fish/vendor_completions.d/$program.fish:salt.fish; do
      if [ "$(readlink "$share/${link%%:*}" || true)" = "${link#*:}" ]; then run rm -f "$share/${link%%:*}"; fi
    done
  done
  for file in bash-completion/completions/salt zsh/site-functions/_salt fish/vendor_completions.d/salt.fish; do
    if grep -qs 'brine complet' "$share/$file"; then run rm -f "$share/$file"; fi
  done
}

# --- Configuration -----------------------------------------------------------------------------------------------------------------

minion_text() {
  say "# Written by install.sh."
  case $master in
  "") ;;
  *,*) say "master: [\"$(printf %s "$master" | sed 's/,/", "/g')\"]" ;;
  *) say "master: \"$master\"" ;;
  esac
  [ -z "$master_port" ] || say "master_port: $master_port"
  [ -z "$id" ] || say "id: \"$id\""
  [ -z "$fingerprint" ] || say "master_finger: \"$fingerprint\""
}

# write_config NAME: what comes in, as /etc/salt/NAME. Never over what differs, except with --force, which keeps a copy.
write_config() {
  file=$root/etc/salt/$1
  text=$(cat)
  inside "${file%/*}"
  # Whoever can write to the place could lead this elsewhere.
  [ ! -L "$file" ] || die "$file is a link: remove it"
  if [ -e "$file" ]; then
    [ "$(cat "$file")" != "$text" ] || return 0
    run cp -p "$file" "$file.before-$(date +%Y%m%d%H%M%S)"
  fi
  if [ -n "$dry_run" ]; then
    say "would write $file:"
    printf '%s\n' "$text" | sed 's/^/  /'
    return 0
  fi
  make_dir "${file%/*}"
  fresh=$(mktemp "${file%/*}/.install.XXXXXXXXXX")
  printf '%s\n' "$text" >"$fresh"
  chmod 640 "$fresh"
  mv -f "$fresh" "$file"
  say "wrote $file"
}

# Said before anything is done.
check_config() {
  file=$root/etc/salt/minion.d/install.conf
  [ -n "$master$master_port$id$fingerprint" ] && [ -e "$file" ] && [ -z "$force" ] || return 0
  [ "$(cat "$file")" = "$(minion_text)" ] || die "$file exists with other values: edit it, or use --force"
}

configure() {
  if [ -n "$master$master_port$id$fingerprint" ]; then minion_text | write_config minion.d/install.conf; fi
  has_role master || return 0
  # A master that is configured stays the user that it is.
  if [ -e "$root/etc/salt/master" ] || [ -e "$root/etc/salt/master.d" ] || [ -e "$root/etc/salt/pki/master" ]; then return 0; fi
  make_user || return 0
  printf '%s\n' '# Written by install.sh. Started as root, the master becomes this user.' 'user: salt' |
    write_config master.d/install.conf
  # It reads this again on SIGHUP, when it is that user already.
  run chown root:salt "$root/etc/salt/master.d/install.conf"
}

# The user that a master runs as; without it, it runs as root.
make_user() {
  [ -z "$root" ] || return 1
  if grep -q '^salt:' /etc/passwd; then return 0; fi
  nologin=/usr/sbin/nologin
  [ -x $nologin ] || nologin=/sbin/nologin
  if has useradd; then
    group=--user-group
    if grep -q '^salt:' /etc/group; then group=--gid=salt; fi
    run useradd --system "$group" --home-dir /var/cache/salt --no-create-home --shell $nologin salt
  elif has adduser && has addgroup; then
    run addgroup -S salt
    run adduser -S -D -H -h /var/cache/salt -s $nologin -G salt salt
  else
    say "useradd and adduser are missing: the master runs as root"
    return 1
  fi
}

# --- Services ----------------------------------------------------------------------------------------------------------------------

# What starts daemons: systemd, openrc or nothing.
find_manager() {
  if [ -d "$root/run/systemd/system" ] || { [ -n "$root" ] && { [ -e "$root/lib/systemd/systemd" ] || [ -e "$root/usr/lib/systemd/systemd" ]; }; }; then
    manager=systemd
  elif [ -x "$root/sbin/openrc-run" ]; then
    manager=openrc
  else
    manager=none
  fi
}

# place NAME MODE FILE: a text that comes in, put in the place of FILE.
place() {
  if [ -n "$dry_run" ]; then
    cat >/dev/null
    say "would write $3"
    return 0
  fi
  cat >"$stage/$1"
  chmod "$2" "$stage/$1"
  make_dir "${3%/*}"
  # Another file system than that of the programs, perhaps.
  fresh=$(mktemp "${3%/*}/.install.XXXXXXXXXX")
  cp -p "$stage/$1" "$fresh"
  mv -f "$fresh" "$3"
}

openrc_text() {
  cat <<END
#!/sbin/openrc-run
# Written by install.sh: Brine
name="$1"
description="${1#salt-} of Salt (Brine)"
supervisor=supervise-daemon
command="$prefix/bin/$1"
respawn_delay=5
depend() {
  need net
  after firewall
}
END
}

# Code 0 for what would fail as it is.
lacks_options() {
  [ "$1" = salt-api ] || return 1
  # shellcheck disable=SC2086 # a glob
  ! grep -Eqs '^rest_(cherrypy|tornado):' "$root/etc/salt/master" "$root"/etc/salt/master.d/*.conf
}

install_service() {
  case $manager in
  systemd)
    unit=$root/etc/systemd/system/$1.service
    sed "s|^ExecStart=/usr/bin/|ExecStart=$prefix/bin/|" "$stage/$1.service" | place "$1.unit" 644 "$unit"
    if [ -n "$root" ]; then
      make_dir "$root/etc/systemd/system/multi-user.target.wants"
      run ln -sf "../$1.service" "$root/etc/systemd/system/multi-user.target.wants/$1.service"
    fi
    ;;
  openrc) openrc_text "$1" | place "$1.openrc" 755 "$root/etc/init.d/$1" ;;
  esac
}

start_service() {
  if lacks_options "$1"; then
    say "salt-api needs rest_cherrypy in /etc/salt/master: it is not started. See docs/api.md"
    return 0
  fi
  case $manager in
  systemd)
    run systemctl enable --quiet "$1.service"
    # A minion that does this by a job of its own goes on until that job has ended.
    if [ "$1" = salt-minion ] && run "$prefix/lib/brine/after-job" systemctl restart salt-minion.service; then return 0; fi
    run systemctl restart "$1.service"
    ;;
  openrc)
    run rc-update add "$1" default
    run rc-service "$1" restart
    ;;
  none) say "No init system found. Start it with: $prefix/bin/$1 -d" ;;
  esac
}

services() {
  find_manager
  if [ -n "$root" ] && [ "$manager" = none ] && [ -n "$(daemons)" ]; then say "No init system found in $root: no service is installed"; fi
  for daemon in $(daemons); do install_service "$daemon"; done
  [ -n "$start" ] || return 0
  if [ "$manager" = systemd ]; then run systemctl daemon-reload; fi
  for daemon in $(daemons); do start_service "$daemon"; done
}

# --- The whole ---------------------------------------------------------------------------------------------------------------------

# What is left for people.
advise() {
  if has_role master; then say "To add a minion, run: $prefix/bin/brine bootstrap ID"; fi
  has_role minion || return 0
  name=${id:-ID}
  say "On the master, compare the fingerprint of its key: salt-key -f $name"
  say "If it is the one of this host, accept the key: salt-key -a $name"
  [ -z "$start" ] || say "To print its fingerprint here: $prefix/bin/salt-call --local key.finger"
}

install_packages() {
  has dpkg || die "--deb needs dpkg"
  [ -z "$root" ] || misused "--deb installs into this system only"
  case $target in linux-x64) architecture=amd64 ;; linux-arm64) architecture=arm64 ;; *) die "Brine has no packages for $target" ;; esac
  get SHA256SUMS
  set --
  for package in brine $(daemons | sed 's/^salt-/brine-/'); do
    found=
    for file in "$from/${package}"_*_"$architecture.deb"; do
      [ -e "$file" ] || die "the package $package for $architecture is missing in $from"
      [ -z "$found" ] || die "$from has more than one package $package: keep one"
      found=${file##*/}
    done
    get_sound "$found"
    set -- "$@" "$stage/$found"
  done
  # The package starts its daemon, unless told not to: then with its configuration.
  configure
  set -- dpkg --install --force-confold "$@"
  [ -n "$start" ] || set -- env BRINE_NO_START=1 "$@"
  run "$@"
}

remove_service() {
  unit=$root/etc/systemd/system/$1.service
  if grep -qs '(Brine)' "$unit"; then
    if [ -n "$start" ] && [ -d /run/systemd/system ]; then
      run systemctl disable --quiet "$1.service"
      if [ "$1" != salt-minion ] || ! run "$prefix/lib/brine/after-job" systemctl stop salt-minion.service; then
        run systemctl stop "$1.service"
      fi
    fi
    run rm -f "$unit" "$root/etc/systemd/system/multi-user.target.wants/$1.service"
  fi
  unit=$root/etc/init.d/$1
  if grep -qs 'Written by install.sh: Brine' "$unit"; then
    if [ -n "$start" ] && has rc-service; then
      run rc-service --ifstarted "$1" stop
      run rc-update delete "$1" default
    fi
    run rm -f "$unit"
  fi
}

remove_all() {
  for place in "$bin" "$root/etc/systemd/system/multi-user.target.wants" "$root/etc/init.d" "$root$prefix/lib/brine"; do
    inside "$place"
  done
  for daemon in salt-api salt-syndic salt-minion salt-master; do remove_service "$daemon"; done
  if [ -n "$start" ] && [ -d /run/systemd/system ]; then run systemctl daemon-reload; fi
  for program in $PROGRAMS salt-master salt-minion salt-api salt-syndic; do
    if [ "$(readlink "$bin/$program" || true)" = brine ]; then run rm -f "$bin/$program"; fi
  done
  if [ -e "$bin/brine" ]; then run rm -f "$bin/brine"; fi
  # What an installation that was killed has left.
  for left in "$bin"/.brine-install.*; do if [ -e "$left" ]; then run rm -rf "$left"; fi; done
  if [ -e "$root$prefix/lib/brine/after-job" ]; then run rm -f "$root$prefix/lib/brine/after-job"; fi
  if [ -d "$root$prefix/lib/brine" ]; then run rmdir "$root$prefix/lib/brine" || true; fi
  remove_pages
  say "removed; configuration, keys and logs stay: /etc/salt, /var/cache/salt, /var/log/salt"
  still_running
}

# Daemons that nothing has stopped go on, although their program is gone: every job then fails.
still_running() {
  [ -z "$root" ] && [ -z "$dry_run" ] || return 0
  for process in /proc/[0-9]*; do
    case $(readlink "$process/exe" 2>/dev/null || true) in "$prefix/bin/brine" | "$prefix/bin/brine (deleted)") ;; *) continue ;; esac
    words=$(tr '\0' ' ' <"$process/cmdline" 2>/dev/null || true)
    # What a daemon has started ends with it.
    case $words in *-process*) continue ;; esac
    for daemon in salt-master salt-minion salt-api salt-syndic; do
      case " $words " in *" $daemon "* | *"/$daemon "*) say "still running: $daemon, process ${process#/proc/}. Stop it: kill ${process#/proc/}" ;; esac
    done
  done
}

main() {
  parse "$@"
  check
  bin=$root$prefix/bin
  if [ -n "$uninstall" ]; then
    remove_all
    return 0
  fi
  find_source
  find_target
  for place in "$bin" "$root/etc/salt" "$root/etc/systemd/system" "$root/etc/init.d"; do inside "$place"; done
  check_config
  [ -n "$deb" ] || check_programs
  make_stage
  if [ -n "$deb" ]; then
    install_packages
  else
    stage_files
    install_programs
    install_pages
    configure
    services
  fi
  advise
}

# At the end: of a script that came in part, nothing is run.
main "$@"
