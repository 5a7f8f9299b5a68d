import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { str, truthy } from "../../language/python/values.ts";
import { run, runAll } from "../commands.ts";
import { isDirectory, isFile, walkPaths } from "../linux/paths.ts";
import { replaceContent } from "../host_files.ts";

const ZONES = "/usr/share/zoneinfo";

const below = (root: unknown): string => truthy(root) ? str(root) : "";

/** The path of a zone file, which must not lead out of the directory of zones. */
function zonePath(zone: unknown): string {
  return `${ZONES}/${str(zone).split("/").filter((part) => part !== "" && part !== ".." && part !== ".").join("/")}`;
}

function bytesOf({ runtime: { fs } }: JobContext, path: string): string {
  return fs.read(path).join();
}

/** Of the link that is local time, else of the file that names it, else the zone with the same rules. */
function zone(context: JobContext): string {
  const { fs } = context.runtime;
  if (fs.stat("/etc/localtime", { follow: false })?.kind === "symlink") {
    const at = fs.readlink("/etc/localtime").split("/zoneinfo/")[1];
    if (at !== undefined) return at;
  }
  if (isFile(fs, "/etc/timezone")) {
    const name = fs.readText("/etc/timezone").trim();
    if (name !== "") return name;
  }
  if (!isFile(fs, "/etc/localtime")) return "UTC";
  const wanted = bytesOf(context, "/etc/localtime");
  const found = zones(context).find((name) => bytesOf(context, `${ZONES}/${name}`) === wanted);
  if (found === undefined) {
    throw new CommandExecutionError("Cannot find the time zone: /etc/localtime is not a copy of a zone with a name");
  }
  return found;
}

/** Names of zones: `UTC`, `Europe/Berlin`. */
function zones({ runtime: { fs } }: JobContext): string[] {
  const names: string[] = [];
  for (const { path, files } of walkPaths(fs, ZONES)) {
    const prefix = path === ZONES ? "" : `${path.slice(ZONES.length + 1)}/`;
    // The same zones once more, by other rules of leap seconds.
    if (/^(?:posix|right)\//.test(prefix)) continue;
    names.push(...files.filter((name) => /^[A-Z][A-Za-z0-9+_-]*$/.test(name)).map((name) => prefix + name));
  }
  return names.sort();
}

/** The time zone of the system. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "linux"
      ? true
      : { unavailable: "The timezone module sets zones as Linux has them, and this is another system" },
  functions: executionFunctions({
    "get_zone()": {
      doc: "The zone, such as Europe/Berlin.\n\n    salt '*' timezone.get_zone",
      run: zone,
    },
    "get_zonecode()": {
      doc: "The short name of the zone, such as CET.\n\n    salt '*' timezone.get_zonecode",
      run: (context) => run(context, ["date", "+%Z"]),
    },
    "get_offset()": {
      doc: "How far local time is ahead of UTC.\n\n    salt '*' timezone.get_offset",
      run: (context) => run(context, ["date", "+%z"]),
    },
    "list_zones()": {
      doc: "The zones there are.\n\n    salt '*' timezone.list_zones",
      run: zones,
    },
    "set_zone(timezone, root=None)": {
      doc: "Sets the zone: of this host, or of the system below a directory.\n\n" +
        "    salt '*' timezone.set_zone 'Europe/Berlin'",
      async run(context, { timezone: wanted, root }): Promise<boolean | string> {
        const { fs } = context.runtime;
        const path = zonePath(wanted);
        if (!isFile(fs, path)) return `Zone does not exist: ${path}`;
        if (!truthy(root) && isDirectory(fs, "/run/systemd/system")) {
          const { retcode, stderr } = await runAll(context, ["timedatectl", "set-timezone", str(wanted)]);
          if (retcode !== 0) throw new CommandExecutionError(`timedatectl failed: ${stderr}`);
          return true;
        }
        const etc = `${below(root)}/etc`;
        if (fs.stat(`${etc}/localtime`, { follow: false }) !== undefined) fs.remove(`${etc}/localtime`);
        fs.symlink(path, `${etc}/localtime`);
        replaceContent({ fs }, `${etc}/timezone`, `${path.slice(ZONES.length + 1)}\n`, { follow: false });
        return true;
      },
    },
    "zone_compare(timezone)": {
      doc: "True if local time follows the rules of a zone.\n\n    salt '*' timezone.zone_compare 'Europe/Berlin'",
      run(context, { timezone: wanted }): boolean {
        const { fs } = context.runtime;
        const path = zonePath(wanted);
        if (!isFile(fs, path)) throw new SaltInvocationError(`Can't find a local timezone "${str(wanted)}"`);
        // Without the file the system uses UTC.
        if (!isFile(fs, "/etc/localtime")) return ["UTC", "Etc/UTC"].includes(str(wanted));
        return bytesOf(context, "/etc/localtime") === bytesOf(context, path);
      },
    },
    "get_hwclock()": {
      doc: "Whether the clock of the hardware runs on UTC or localtime.\n\n    salt '*' timezone.get_hwclock",
      run({ runtime: { fs } }): string {
        if (!isFile(fs, "/etc/adjtime")) return "UTC";
        return fs.readText("/etc/adjtime").split("\n")[2]?.trim() === "LOCAL" ? "localtime" : "UTC";
      },
    },
    "set_hwclock(clock)": {
      doc: "Lets the clock of the hardware run on UTC or localtime.\n\n    salt '*' timezone.set_hwclock UTC",
      async run(context, { clock }): Promise<boolean> {
        const word = str(clock);
        if (word !== "UTC" && word !== "localtime") {
          throw new SaltInvocationError("Clock must be either 'UTC' or 'localtime'");
        }
        if (isDirectory(context.runtime.fs, "/run/systemd/system")) {
          const value = word === "localtime" ? "true" : "false";
          return (await runAll(context, ["timedatectl", "set-local-rtc", value])).retcode === 0;
        }
        return (await runAll(context, ["hwclock", "--systohc", word === "UTC" ? "--utc" : "--localtime"])).retcode ===
          0;
      },
    },
  }),
};
