import { isWithin, joinPath, normalizePath } from "../../../base/paths.ts";
import { type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { isDirectory, isFile } from "../../linux/paths.ts";
import { commandOptions } from "./options.ts";
import { type CommandResult, runCommand } from "./run.ts";

/** What programs expect to find: place, device and kind. */
const SYSTEM = [["dev", "devtmpfs", "devtmpfs"], ["proc", "proc", "proc"], ["sys", "sysfs", "sysfs"]] as const;

/** How often what still runs below the new root is signalled, how often of that it is only asked, and the pause between. */
const ROUNDS = 6;
const POLITE = 3;
const PAUSE_MS = 50;

function processesBelow({ runtime: { fs } }: JobContext, root: string): number[] {
  return fs.list("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      return isWithin(root, fs.readlink(`/proc/${name}/root`)) ? [Number(name)] : [];
    } catch {
      // It has ended, or is a kernel thread.
      return [];
    }
  });
}

async function endProcesses(context: JobContext, root: string): Promise<void> {
  const { process, clock } = context.runtime;
  for (let round = 0; round < ROUNDS; round++) {
    const pids = processesBelow(context, root);
    if (pids.length === 0) return;
    for (const pid of pids) process.kill(pid, round < POLITE ? "SIGTERM" : "SIGKILL");
    await clock.sleep(PAUSE_MS);
  }
  if (processesBelow(context, root).length > 0) {
    context.log.error("processes in the chroot could not be stopped: their mounts stay", { root });
  }
}

/**
 * Runs a command with another directory as its root, in which dev, proc and sys are mounted as long as it runs.
 *
 * @throws {SaltInvocationError} for a directory that is none, or the root itself, where everything would be ended afterwards
 */
export async function runInChroot(context: JobContext, args: Args): Promise<CommandResult> {
  const { fs } = context.runtime;
  const given = str(args.root);
  if (!given.startsWith("/") || !isDirectory(fs, given) || fs.realpath(given) === "/") {
    throw new SaltInvocationError(`root must be the path of a directory other than /, not '${given}'`);
  }
  const root = fs.realpath(given);
  const command = Array.isArray(args.cmd) ? args.cmd.map(str).join(" ") : str(args.cmd);
  // The user is one of the chroot, not of this host.
  const user = truthy(args.runas)
    ? ["--userspec", `${str(args.runas)}:${truthy(args.group) ? str(args.group) : ""}`]
    : [];
  const mounted: string[] = [];
  const mount = async (place: string, device: string, how: Record<string, unknown>) => {
    // A link may lead out of the new root, to the host's own files.
    if (!isDirectory(fs, place) || fs.realpath(place) !== place || !isWithin(root, place) || place === root) {
      return context.log.warning(`Cannot mount ${place}: it is not a directory of ${root}`);
    }
    const answer = await context.call("mount.mount", [place, device], how);
    if (answer === true) mounted.unshift(place);
    else context.log.warning(`Cannot mount ${place}: ${str(answer)}`);
  };
  try {
    for (const [name, device, fstype] of SYSTEM) await mount(joinPath(root, name), device, { fstype });
    for (const bind of Array.isArray(args.binds) ? args.binds.map(str) : []) {
      await mount(normalizePath(`${root}/${bind}`), bind, { opts: "bind" });
    }
    const shell = isFile(fs, joinPath(root, "bin/bash")) ? "/bin/bash" : "/bin/sh";
    const options = commandOptions({ ...args, runas: null, group: null, shell: null, python_shell: false }, {
      ...context,
      runas: "",
    });
    return await runCommand(context, ["chroot", ...user, root, shell, "-c", command], options);
  } finally {
    await endProcesses(context, root);
    for (const place of mounted) await context.call("mount.umount", [place]);
  }
}
