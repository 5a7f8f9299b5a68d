import { SystemError } from "../../../base/errors.ts";
import { CommandExecutionError, executionFunction, type JobContext } from "../../../model/loader/family.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { splitWords } from "../../../language/python/text.ts";
import { isFile } from "../../linux/paths.ts";
import { osErrorText } from "../../python_errors.ts";
import { linesIn } from "../file/content.ts";

/** How the lines of a table of file systems are read and written. */
interface TableFormat {
  /** Names of the columns. */
  keys: readonly string[];
  /** Fewest columns of a line; those that are missing are `0`. */
  least: number;
  write(entry: Entry): string;
  /** Types of file systems without a device: they are identified by their mount point. */
  byName: readonly string[];
}

type Entry = Record<string, string>;

export const FSTAB: TableFormat = {
  keys: ["device", "name", "fstype", "opts", "dump", "pass_num"],
  least: 4,
  write: ({ device, name, fstype, opts, dump, pass_num: pass }) =>
    `${device}\t\t${name}\t${fstype}\t${opts}\t${dump} ${pass}\n`,
  byName: [
    "none",
    "tmpfs",
    "sysfs",
    "proc",
    "fusectl",
    "debugfs",
    "securityfs",
    "devtmpfs",
    "cgroup",
    "nfs",
    "nfs4",
    "glusterfs",
    "btrfs",
  ],
};

export const VFSTAB: TableFormat = {
  keys: ["device", "device_fsck", "name", "fstype", "pass_fsck", "mount_at_boot", "opts"],
  least: 7,
  write: (entry) =>
    [["device", 11], ["device_fsck", 3], ["name", 19], ["fstype", 8], ["pass_fsck", 3], ["mount_at_boot", 6]]
      .map(([key, width]) => entry[key!]!.padEnd(Number(width))).concat(`${entry.opts}\n`).join(" "),
  byName: ["devfs", "proc", "ctfs", "objfs", "sharefs", "fs", "tmpfs"],
};

/** The entry of a line; undefined for comments and lines with another number of columns. */
function entryOf(line: string, format: TableFormat): Entry | undefined {
  if (line.startsWith("#")) return undefined;
  const words = splitWords(line);
  if (words.length < format.least || words.length > format.keys.length) return undefined;
  return Object.fromEntries(format.keys.map((key, at) => [key, words[at] ?? "0"]));
}

/** True if an entry has these values; options may come in any order. */
function fits(entry: Entry, wanted: Entry): boolean {
  const sorted = (text: string | undefined) => (text ?? "").split(",").sort().join(",");
  return Object.entries(wanted).every(([key, value]) =>
    key === "opts" ? sorted(entry.opts) === sorted(value) : entry[key] === value
  );
}

function readLines(context: JobContext, config: string): string[] {
  try {
    return linesIn(context.runtime.fs.readText(config));
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    throw new CommandExecutionError(`Couldn't read from ${config}: ${osErrorText(error, config)}`);
  }
}

function writeLines(context: JobContext, config: string, lines: string[], complain: (why: string) => string): void {
  try {
    context.runtime.fs.writeAt(config, 0, new TextEncoder().encode(lines.join("")), { truncate: true });
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    throw new CommandExecutionError(complain(osErrorText(error, config)));
  }
}

/** All entries by mount point; a repeated mount point gets an underscore. */
export function readTable(context: JobContext, config: string): Record<string, Record<string, unknown>> {
  if (!isFile(context.runtime.fs, config)) return {};
  const found = new Map<string, Record<string, unknown>>();
  for (const line of readLines(context, config)) {
    const entry = entryOf(line, FSTAB);
    if (entry === undefined) continue;
    const { name: given = "", opts = "", pass_num: pass, ...rest } = entry;
    let name = given;
    while (found.has(name)) name += "_";
    found.set(name, { device: rest.device, fstype: rest.fstype, opts: opts.split(","), dump: rest.dump, pass });
  }
  return Object.fromEntries(found);
}

/** Takes the entries of a place and a device out. */
export function removeEntry(context: JobContext, args: Record<string, unknown>, format: TableFormat): true {
  const config = str(args.config);
  const wanted = given({ name: args.name, device: args.device });
  const lines = readLines(context, config);
  const kept = lines.filter((line) => {
    const entry = entryOf(line, format);
    return entry === undefined || !fits(entry, wanted);
  });
  if (kept.length < lines.length) {
    writeLines(context, config, kept, (why) => `Couldn't write to ${config}: ${why}`);
  }
  return true;
}

const given = (values: Record<string, unknown>): Entry =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null).map(([key, value]) => [key, str(value)]),
  );

/** The columns by which an entry is found. @throws {CommandExecutionError} if they are none of it */
export function matchedKeys(values: Record<string, unknown>, matchOn: unknown, format: TableFormat = FSTAB): string[] {
  if (typeof matchOn !== "string" && !Array.isArray(matchOn)) {
    throw new CommandExecutionError("match_on must be a string or list of strings");
  }
  const keys = Array.isArray(matchOn)
    ? matchOn.map(str)
    : matchOn === "auto"
    ? [format.byName.includes(str(values.fstype)) ? "name" : "device"]
    : [matchOn];
  const entry = given(values);
  const unknown = keys.filter((key) => !Object.hasOwn(entry, key));
  if (unknown.length === 0) return keys;
  throw new CommandExecutionError(`Unrecognized keys in match_on: "${unknown.join(", ")}"`);
}

/** Adds or changes an entry. @returns `new`, `change` or `present` */
export function setEntry(
  context: JobContext,
  values: Record<string, unknown>,
  options: Record<string, unknown>,
  format: TableFormat,
): string {
  const config = str(options.config);
  const entry = given(values);
  const keys = matchedKeys(values, options.match_on, format);
  const criteria = Object.fromEntries(keys.map((key) => [key, entry[key]!]));
  if (!isFile(context.runtime.fs, config)) throw new CommandExecutionError(`Bad config file "${config}"`);
  let result: string | undefined;
  const lines = readLines(context, config).map((line) => {
    const there = entryOf(line, format);
    if (there === undefined || !fits(there, criteria)) return line;
    if (fits(there, entry) || truthy(options.not_change)) {
      result ??= "present";
      return line;
    }
    result = "change";
    return format.write(entry);
  });
  if (result === undefined) {
    lines.push(format.write(entry));
    result = "new";
  }
  if (result !== "present" && !truthy(options.test) && !truthy(context.opts.test)) {
    writeLines(context, config, lines, () => `File not writable ${config}`);
  }
  return result;
}

/** An entry of the table of the automounter: place, options, kind and device. */
interface AutoEntry {
  name: string;
  opts: string;
  device: string;
}

function autoEntry(line: string): AutoEntry | undefined {
  const words = splitWords(line);
  if (line.startsWith("#") || words.length !== 3) return undefined;
  return { name: words[0]!, opts: words[1]!, device: words[2]! };
}

const bareName = (name: string) => name.replaceAll("/..", "");

/** The table of the automounter by place. */
export function readAutomaster(context: JobContext, config: string): Record<string, unknown> {
  if (!isFile(context.runtime.fs, config)) return {};
  const entries = readLines(context, config).map(autoEntry).filter((entry) => entry !== undefined);
  return Object.fromEntries(entries.map(({ name, opts, device }) => {
    const [fstype, ...rest] = opts.split(",");
    return [bareName(name), { device: device.split(":")[1], fstype, opts: rest }];
  }));
}

/** Removes the entries of a mount point from the automounter's table; false if there were none. */
export function removeAutomaster(context: JobContext, args: Record<string, unknown>): boolean {
  const config = str(args.config);
  if (!Object.hasOwn(readAutomaster(context, config), str(args.name))) return false;
  const kept = readLines(context, config).filter((line) => {
    const entry = autoEntry(line);
    if (entry === undefined || bareName(entry.name) !== str(args.name)) return true;
    return truthy(args.device) && entry.device.split(":")[1] !== str(args.device);
  });
  writeLines(context, config, kept, (why) => `Couldn't write to ${config}: ${why}`);
  return true;
}

/** Puts an entry into the table of the automounter, or changes it: `new`, `change` or `present`. */
export const setAutomaster = executionFunction({
  signature:
    "name: str, device: str, fstype: str, opts='', config: str='/etc/auto_salt', test: bool=False, not_change: bool=False, **kwargs",
  doc: "Adds or changes an entry of the automounter's table; returns new, change or present.\n\n" +
    "    salt '*' mount.set_automaster /mnt/foo /dev/sdz1 ext4",
  async run(context, args): Promise<string> {
    const { fs } = context.runtime;
    const config = args.config;
    const opts = Array.isArray(args.opts) ? args.opts.map(str).join(",") : str(args.opts);
    if (!isFile(fs, config)) {
      await context.call("file.touch", [config]);
      await context.call("file.append", ["/etc/auto_master", `/-\t\t\t${config}`]);
    }
    const kind = args.fstype;
    const entry: AutoEntry = {
      name: `/..${args.name}`,
      opts: `-fstype=${kind},${opts}`,
      device: `${kind === "smbfs" ? "" : kind}:${args.device}`,
    };
    const text = `${entry.name}\t${entry.opts}\t${entry.device}\n`;
    let result = "new";
    const lines = readLines(context, config).map((line) => {
      const there = autoEntry(line);
      if (there === undefined || (there.name !== entry.name && there.device !== entry.device)) return line;
      if (result === "new") result = "present";
      const same = there.name === entry.name && there.opts === entry.opts && there.device === entry.device;
      if (same || args.not_change) return line;
      result = "change";
      return text;
    });
    if (result === "new") lines.push(text);
    if (result !== "present" && !args.test && !truthy(context.opts.test)) {
      writeLines(context, config, lines, () => `File not writable ${config}`);
    }
    return result;
  },
});
