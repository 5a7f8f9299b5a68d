/** The commands to start and stop daemons on this host. */
import { joinPath } from "../../src/base/paths.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

type Host = Pick<Runtime, "fs">;

const isThere = ({ fs }: Host, path: string) => {
  try {
    return fs.stat(path) !== undefined;
  } catch {
    return false;
  }
};

const UNITS = [
  "/etc/systemd/system",
  "/run/systemd/system",
  "/usr/local/lib/systemd/system",
  "/usr/lib/systemd/system",
  "/lib/systemd/system",
];

/** The service manager of a daemon on this host; undefined if there is none. */
function managerOf(host: Host, program: string): "systemd" | "openrc" | undefined {
  const hasUnit = () => UNITS.some((directory) => isThere(host, joinPath(directory, `${program}.service`)));
  if (isThere(host, "/run/systemd/system") && hasUnit()) return "systemd";
  const hasOpenRc = isThere(host, "/sbin/openrc-run") || isThere(host, "/usr/sbin/openrc-run");
  return hasOpenRc && isThere(host, joinPath("/etc/init.d", program)) ? "openrc" : undefined;
}

const isContainer = (host: Host) => isThere(host, "/.dockerenv") || isThere(host, "/run/.containerenv");

/** Programs → names of their npm scripts in a clone. */
const SCRIPTS: Readonly<Record<string, string>> = {
  "salt-master": "master",
  "salt-minion": "minion",
  "salt-syndic": "syndic",
  "salt-api": "api",
};

/** The clone that this program runs from; undefined if it is installed. */
function cloneOf(host: Host, here: string): string | undefined {
  const path = here.startsWith("file:") ? decodeURIComponent(new URL(here).pathname) : here;
  const at = path.lastIndexOf("/cli/daemon/");
  const root = at < 0 ? undefined : path.slice(0, at);
  return root !== undefined && isThere(host, joinPath(root, "cli/run.sh")) ? root : undefined;
}

/** The configuration directory that the units of daemons use. */
const USUAL_DIRECTORY = "/etc/salt";

interface StartOptions {
  configDir: string;
  /** URL of this module. @default its own URL */
  here?: string;
}

export function startCommand(host: Host, program: string, options: StartOptions): string {
  const { configDir, here = import.meta.url } = options;
  const isUsual = configDir.replace(/\/+$/, "") === USUAL_DIRECTORY;
  const manager = isUsual ? managerOf(host, program) : undefined;
  if (manager === "systemd") return `systemctl start ${program}`;
  if (manager === "openrc") return `rc-service ${program} start`;
  const clone = cloneOf(host, here);
  const words = isUsual ? "" : ` -c ${configDir}`;
  if (clone !== undefined) {
    return `npm run ${SCRIPTS[program] ?? program}${words === "" ? "" : ` --${words}`} (in ${clone})`;
  }
  const direct = `${program} -d${words}`;
  return isContainer(host) ? `restart its container, or run: ${direct}` : direct;
}

/** The command that stops a daemon. @param pid its main process */
export function stopCommand(host: Host, program: string, pid: number): string {
  const manager = managerOf(host, program);
  if (manager === "openrc") return `rc-service ${program} stop`;
  return manager === "systemd" ? `systemctl stop ${program}` : `kill ${pid}`;
}
