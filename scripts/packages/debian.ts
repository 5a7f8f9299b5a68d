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
  /** It cannot run as it is installed: what it is to do has to be configured first. */
  unset?: boolean;
  /** Runs as the user `salt`, which the package makes. */
  user: boolean;
}

const MASTER_CONFIG = `# Options of the master: see /usr/share/doc/brine/docs/options.md.
# Files in master.d/*.conf are read after this file and override it.

# The user that the master changes to after its start as root.
user: salt
`;

const MINION_CONFIG = `# Options of the minion: see /usr/share/doc/brine/docs/options.md.
# Files in minion.d/*.conf are read after this file and override it.

# The host of the master.
#master: salt
`;

const SYNDIC_CONFIG = `# The syndic reads the configuration of the master.
# See /usr/share/doc/brine/docs/masters-of-masters.md.

# The host of the higher master.
#syndic_master: masterofmasters

# The syndic uses the id and the keys of this host's minion, which root owns.
syndic_user: root
`;

export const DEBIAN_PACKAGES: readonly DebianPackage[] = [
  {
    name: "brine",
    description: "Salt in one file: command line and runtime (Brine)",
    depends: "libc6 (>= 2.28)",
    replaces: "salt-common, salt-ssh",
    programs: ["salt", "salt-key", "salt-run", "salt-call", "salt-cp", "salt-ssh", "salt-doctor"],
  },
  {
    name: "brine-master",
    description: "Salt master (Brine)",
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
    description: "Salt minion (Brine)",
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
    description: "Salt HTTP API and web console (Brine)",
    depends: "brine-master (= VERSION)",
    replaces: "salt-api",
    programs: ["salt-api"],
    daemon: { name: "salt-api", leaves: ["/var/log/salt/api*"], unset: true, user: false },
  },
  {
    name: "brine-syndic",
    description: "Salt syndic (Brine)",
    depends: "brine-master (= VERSION)",
    replaces: "salt-syndic",
    programs: ["salt-syndic"],
    daemon: {
      name: "salt-syndic",
      config: { file: "master.d/syndic.conf", text: SYNDIC_CONFIG },
      leaves: ["/var/log/salt/syndic*", "/var/cache/salt/syndic*"],
      unset: true,
      user: false,
    },
  },
];

const SCRIPT = "#!/bin/sh\nset -e\n";

const MAKE_USER = `  if ! getent passwd salt >/dev/null; then
    group=--user-group
    if getent group salt >/dev/null; then group=--gid=salt; fi
    useradd --system "$group" --home-dir /var/cache/salt --no-create-home --shell /usr/sbin/nologin salt
  fi
  # It reads its configuration again on SIGHUP, when it is that user already; it may hold secrets.
  if [ -e /etc/salt/master ]; then chgrp salt /etc/salt/master; fi
`;

const SHARED = [
  "/etc/salt/master.d",
  "/etc/salt/minion.d",
  "/etc/salt/pki",
  "/etc/salt",
  "/var/cache/salt",
  "/var/log/salt",
  "/run/salt",
];
/** The directories that several packages use. Which of them is purged last is dpkg's choice; none is there without the program. */
const REMOVE_SHARED = `  if [ ! -e /usr/bin/brine ]; then
    for place in ${SHARED.join(" ")}; do
      if [ -d "$place" ]; then rmdir --ignore-fail-on-non-empty "$place"; fi
    done
  fi
`;

/** Where the package of the minion has `after_job.sh`. */
export const AFTER_JOB = "/usr/lib/brine/after-job";

/** The scripts of a package by name: `postinst`, `prerm`, `postrm`. */
export function maintainerScripts({ name, daemon }: DebianPackage): Record<string, string> {
  if (daemon === undefined) {
    return { postrm: `${SCRIPT}if [ "$1" = purge ]; then\n${REMOVE_SHARED}fi\n` };
  }
  const unit = `${daemon.name}.service`;
  const minion = name === "brine-minion";
  // What a job of the minion calls waits for the end of that job.
  const invoke = (verb: string) => {
    const now = `deb-systemd-invoke ${verb} ${unit} || true`;
    return minion ? `${AFTER_JOB} systemctl ${verb} ${unit} || ${now}` : now;
  };
  return {
    postinst: `${SCRIPT}if [ "$1" = configure ]; then
${daemon.user ? MAKE_USER : ""}  # As install.sh --no-start asks.
  if [ -n "\${BRINE_NO_START:-}" ]; then exit 0; fi
  if command -v deb-systemd-helper >/dev/null; then deb-systemd-helper enable ${unit} >/dev/null || true; fi
  if [ ! -d /run/systemd/system ]; then
    ${minion ? `${AFTER_JOB} --daemon || true\n    ` : ""}exit 0
  fi
  systemctl --system daemon-reload || true
${
      daemon.unset === true
        ? `  if ! systemctl is-active --quiet ${unit} && ! ${daemon.name} --check >/dev/null 2>&1; then\n` +
          `    echo "${name}: ${daemon.name} is not started yet. ${daemon.name} --check says what it needs" >&2\n    exit 0\n  fi\n`
        : ""
    }  ${invoke("restart")}
fi
`,
    prerm: `${SCRIPT}if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  ${invoke("stop")}
fi
`,
    postrm: `${SCRIPT}if [ "$1" = purge ]; then
  if command -v deb-systemd-helper >/dev/null; then deb-systemd-helper purge ${unit} >/dev/null || true; fi
  rm -rf /run/${daemon.name}.pid ${daemon.leaves.join(" ")}
${
      daemon.user
        ? "  if getent passwd salt >/dev/null; then userdel salt >/dev/null 2>&1 || true; fi\n" +
          "  if getent group salt >/dev/null; then groupdel salt >/dev/null 2>&1 || true; fi\n"
        : ""
    }${REMOVE_SHARED}fi
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
    " each component works with those of Salt. It needs no Python.",
    "",
  ].join("\n");
}
