/** What is in each Debian package, and the scripts that run when it is installed and removed. */

/** A package, without what all have in common. */
export interface DebianPackage {
  name: string;
  description: string;
  depends: string;
  /** Packages of real Salt whose files it has. */
  replaces: string;
  /** Programs: links to `/usr/bin/brine`. */
  programs: readonly string[];
  /** The daemon, if it has one. */
  daemon?: Daemon;
}

interface Daemon {
  /** Program, unit, pid file and log: `salt-master`. */
  name: string;
  /** Its configuration, below `/etc/salt`, and what is in it at first. */
  config?: { file: string; text: string };
  /** What it leaves behind, which a purge removes. */
  leaves: readonly string[];
  /** Runs as the user `salt`, which the package makes. */
  user: boolean;
}

const MASTER_CONFIG = `# The master. Options are Salt's, under Salt's names.
# What is in master.d/*.conf comes after this file, and goes before it.

# Started as root, it becomes this user.
user: salt
`;

const MINION_CONFIG = `# The minion. Options are Salt's, under Salt's names.
# What is in minion.d/*.conf comes after this file, and goes before it.

# The host of the master.
#master: salt
`;

export const DEBIAN_PACKAGES: readonly DebianPackage[] = [
  {
    name: "brine",
    description: "Salt's programs in one file: command line and runtime",
    depends: "libc6 (>= 2.28)",
    replaces: "salt-common, salt-ssh",
    programs: ["salt", "salt-key", "salt-run", "salt-call", "salt-cp", "salt-ssh", "salt-doctor"],
  },
  {
    name: "brine-master",
    description: "Salt's master, by Brine",
    depends: "brine (= VERSION), passwd",
    replaces: "salt-master",
    programs: ["salt-master"],
    daemon: {
      name: "salt-master",
      config: { file: "master", text: MASTER_CONFIG },
      leaves: [
        "/etc/salt/pki/master",
        "/var/cache/salt/master",
        "/var/log/salt/master*",
        "/var/log/salt/key*",
        "/run/salt/master",
      ],
      user: true,
    },
  },
  {
    name: "brine-minion",
    description: "Salt's minion, by Brine",
    depends: "brine (= VERSION)",
    replaces: "salt-minion",
    programs: ["salt-minion"],
    daemon: {
      name: "salt-minion",
      config: { file: "minion", text: MINION_CONFIG },
      leaves: [
        "/etc/salt/pki/minion",
        "/etc/salt/minion_id",
        "/var/cache/salt/minion",
        "/var/log/salt/minion*",
        "/run/salt/minion",
      ],
      user: false,
    },
  },
  {
    name: "brine-api",
    description: "Salt's HTTP API and a web console, by Brine",
    depends: "brine-master (= VERSION)",
    replaces: "salt-api",
    programs: ["salt-api"],
    daemon: { name: "salt-api", leaves: ["/var/log/salt/api*"], user: false },
  },
  {
    name: "brine-syndic",
    description: "Salt's syndic, by Brine",
    depends: "brine-master (= VERSION)",
    replaces: "salt-syndic",
    programs: ["salt-syndic"],
    daemon: { name: "salt-syndic", leaves: ["/var/log/salt/syndic*", "/var/cache/salt/syndic*"], user: false },
  },
];

const SCRIPT = "#!/bin/sh\nset -e\n";

const MAKE_USER = `  if ! getent passwd salt >/dev/null; then
    useradd --system --user-group --home-dir /var/cache/salt --no-create-home --shell /usr/sbin/nologin salt
  fi
  # It reads its configuration again on SIGHUP, when it is that user already; it may hold secrets.
  if [ -e /etc/salt/master ]; then chgrp salt /etc/salt/master; fi
`;

/**
 * A minion may be upgraded by a job of its own: dpkg then runs below it, and must not be ended in the middle. The minion is restarted a
 * little later.
 */
const RESTART_MINION = `  below_minion() {
    minion=$(cat /run/salt-minion.pid 2>/dev/null) || return 1
    process=$$
    while [ "$process" -gt 1 ]; do
      if [ "$process" = "$minion" ]; then return 0; fi
      process=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$process/status" 2>/dev/null) || return 1
      if [ -z "$process" ]; then return 1; fi
    done
    return 1
  }
  if below_minion; then
    systemd-run --quiet --on-active=15 systemctl restart salt-minion.service || true
    exit 0
  fi
`;

/** The scripts of a package by name: `postinst`, `prerm`, `postrm`. */
export function maintainerScripts({ name, daemon }: DebianPackage): Record<string, string> {
  if (daemon === undefined) {
    const places = [
      "/etc/salt/master.d",
      "/etc/salt/minion.d",
      "/etc/salt/pki",
      "/etc/salt",
      "/var/cache/salt",
      "/var/log/salt",
      "/run/salt",
    ];
    return {
      postrm: `${SCRIPT}if [ "$1" = purge ]; then\n  for place in ${places.join(" ")}; do\n` +
        `    if [ -d "$place" ]; then rmdir --ignore-fail-on-non-empty "$place"; fi\n  done\nfi\n`,
    };
  }
  const unit = `${daemon.name}.service`;
  return {
    postinst: `${SCRIPT}if [ "$1" = configure ]; then
${
      daemon.user
        ? MAKE_USER
        : ""
    }  if command -v deb-systemd-helper >/dev/null; then deb-systemd-helper enable ${unit} >/dev/null || true; fi
  if [ ! -d /run/systemd/system ]; then exit 0; fi
  systemctl --system daemon-reload || true
${name === "brine-minion" ? RESTART_MINION : ""}  deb-systemd-invoke restart ${unit} || true
fi
`,
    prerm:
      `${SCRIPT}if [ "$1" = remove ] && [ -d /run/systemd/system ]; then deb-systemd-invoke stop ${unit} || true; fi\n`,
    postrm: `${SCRIPT}if [ "$1" = purge ]; then
  if command -v deb-systemd-helper >/dev/null; then deb-systemd-helper purge ${unit} >/dev/null || true; fi
  rm -rf /run/${daemon.name}.pid ${daemon.leaves.join(" ")}
${daemon.user ? "  if getent passwd salt >/dev/null; then userdel salt >/dev/null 2>&1 || true; fi\n" : ""}fi
if [ -d /run/systemd/system ]; then systemctl --system daemon-reload || true; fi
`,
  };
}

/** The file `control`. @param bytes that the package takes once it is installed */
export function controlFile(of: DebianPackage, version: string, architecture: string, bytes: number): string {
  const { name, description, depends, replaces } = of;
  return [
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    "Maintainer: The Brine authors <brine@users.noreply.github.com>",
    "Section: admin",
    "Priority: optional",
    `Installed-Size: ${Math.ceil(bytes / 1024)}`,
    `Depends: ${depends.replaceAll("VERSION", version)}`,
    `Conflicts: ${replaces}`,
    `Replaces: ${replaces}`,
    `Description: ${description}`,
    " Remote execution and configuration management that speaks Salt's protocol:",
    " each part works with those of real Salt. It needs no Python.",
    "",
  ].join("\n");
}
