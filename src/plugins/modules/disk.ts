import type { JobContext } from "../../loader/context.ts";
import {
  CommandExecutionError,
  type ExecutionModule,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../loader/family.ts";
import { toFloat } from "../../python/float.ts";
import { splitLines } from "../../python/lines.ts";
import { str } from "../../python/repr.ts";
import { truthy } from "../../python/truth.ts";
import { typeName } from "../../python/type_name.ts";
import { splitWords } from "../../python/whitespace.ts";
import { needAnyProgram, needProgram, programPath, run, runAll } from "../commands.ts";
import { isFile } from "../linux/paths.ts";
import { splitWords as shellWords } from "../linux/words.ts";
import { pythonError } from "../python_errors.ts";

const FLAGS = "aBhHiklPtTxv";

/** Options of `df`, each a letter. */
function flagsOf(args: unknown, caller: string): string[] {
  if (args === null) return [];
  if (typeof args !== "string" && !Array.isArray(args)) {
    throw new InvalidArgumentsError(`'${typeName(args)}' object is not iterable`);
  }
  const flags = [...args].map(str);
  if (flags.some((flag) => flag.length !== 1 || !FLAGS.includes(flag))) {
    throw new CommandExecutionError(`Invalid flag passed to ${caller}`);
  }
  return flags.length === 0 ? [] : [`-${flags.join("")}`];
}

/** The rows of `df` in words; a name of several words, or on a line of its own, is one. */
function rowsOf(text: string): string[][] {
  const rows: string[][] = [];
  let before = "";
  for (const line of splitLines(text)) {
    if (line === "" || line.startsWith("Filesystem")) continue;
    const words = splitWords(`${before} ${line}`);
    before = words.length === 1 ? words[0]! : "";
    if (words.length === 1) continue;
    while (words.length >= 2 && !/^\d+$/.test(words[1]!)) words.splice(0, 2, `${words[0]} ${words[1]}`);
    if (words.length >= 2) rows.push(words);
  }
  return rows;
}

/** A map by the sixth word of each row, the mount; empty if a row is cut short. */
function byMount<T>(rows: string[][], make: (row: string[]) => T): Record<string, T> {
  if (rows.some((row) => row.length < 6)) return {};
  return Object.fromEntries(rows.map((row) => [row[5]!, make(row)]));
}

async function usage(context: JobContext, args: unknown): Promise<Record<string, unknown>> {
  const flags = flagsOf(args, "disk.usage");
  if (!isFile(context.runtime.fs, "/etc/mtab")) {
    context.log.error("df cannot run without /etc/mtab");
    return {};
  }
  return byMount(rowsOf(await run(context, ["df", "-P", ...flags])), (row) => ({
    filesystem: row[0],
    "1K-blocks": row[1],
    used: row[2],
    available: row[3],
    capacity: row[4],
  }));
}

async function inodeUsage(context: JobContext, args: unknown): Promise<Record<string, unknown>> {
  const text = await run(context, ["df", "-iP", ...flagsOf(args, "disk.inodeusage")]);
  const rows = splitLines(text).filter((line) => line !== "" && !line.startsWith("Filesystem")).map(splitWords);
  return byMount(rows, (row) => ({ inodes: row[1], used: row[2], free: row[3], use: row[4], filesystem: row[0] }));
}

async function percent(context: JobContext, mount: unknown): Promise<unknown> {
  const all = byMount(rowsOf(await run(context, ["df", "-P"])), (row) => row[4]!);
  if (!truthy(mount)) return all;
  return Object.hasOwn(all, str(mount)) ? all[str(mount)] : {};
}

async function blkid(context: JobContext, device: unknown, token: unknown): Promise<Record<string, unknown>> {
  needProgram(context, "blkid");
  const words = truthy(device) ? [str(device)] : truthy(token) ? ["-t", str(token)] : [];
  const { retcode, stdout } = await runAll(context, ["blkid", ...words]);
  if (retcode > 0) return {};
  return Object.fromEntries(
    splitLines(stdout).filter((line) => line !== "").map((line) => {
      const [name = ""] = splitWords(line);
      const tags = [...line.matchAll(/([^\s"=]+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]);
      return [name.slice(0, -1), Object.fromEntries(tags)];
    }),
  );
}

/** The parameters that `blockdev` is asked for, in the order of its answers. */
const QUESTIONS = [
  "getro",
  "getsz",
  "getss",
  "getpbsz",
  "getiomin",
  "getioopt",
  "getalignoff",
  "getmaxsect",
  "getsize",
  "getsize64",
  "getra",
  "getfra",
];

async function dump(context: JobContext, device: unknown, args: unknown): Promise<unknown> {
  const { retcode, stdout } = await runAll(context, [
    "blockdev",
    ...QUESTIONS.map((question) => `--${question}`),
    ...shellWords(str(device)),
  ]);
  if (retcode !== 0) return false;
  const lines = splitLines(stdout).filter((line) => line !== "");
  const all = Object.fromEntries(lines.map((line, at) => [QUESTIONS[at]!, line]));
  if (!truthy(args)) return all;
  return Object.fromEntries(
    [args].flat().map((name) => {
      const key = str(name);
      if (!Object.hasOwn(all, key)) throw pythonError("KeyError", `'${key}'`);
      return [key, all[key]];
    }),
  );
}

/** The parameters of a device that can be changed, with their options of blockdev. */
const TUNABLES: Record<string, string> = {
  "read-ahead": "setra",
  "filesystem-read-ahead": "setfra",
  "read-only": "setro",
  "read-write": "setrw",
};

async function tune(context: JobContext, device: unknown, options: Record<string, unknown>): Promise<unknown> {
  const words: string[] = [];
  const shown: string[] = [];
  const invalid: string[] = [];
  for (const [key, value] of Object.entries(options)) {
    if (key.startsWith("__")) continue;
    const option = Object.hasOwn(TUNABLES, key) ? TUNABLES[key]! : undefined;
    const bare = key === "read-only" || key === "read-write";
    if (option === undefined || (bare && value !== true && value !== "True")) {
      invalid.push(`${key}=${str(value)}`);
      continue;
    }
    words.push(`--${option}`, ...(bare ? [] : [str(value)]));
    shown.push(key === "read-write" ? "getro" : option.replace("set", "get"));
  }
  if (invalid.length > 0) throw new SaltInvocationError(`Invalid keyword arguments: ${invalid.join(", ")}`);
  const { retcode, stderr } = await runAll(context, ["blockdev", ...words, ...shellWords(str(device))]);
  if (retcode !== 0) throw new CommandExecutionError(stderr);
  return await dump(context, device, shown);
}

async function format(context: JobContext, args: Record<string, unknown>): Promise<boolean> {
  needProgram(context, "mkfs");
  needProgram(context, "sync");
  const type = str(args.fs_type);
  const words = ["mkfs", "-t", type];
  if (args.inode_size !== null) {
    if (type.startsWith("ext")) words.push("-i", str(args.inode_size));
    else if (type === "xfs") words.push("-i", `size=${str(args.inode_size)}`);
  }
  if (args.lazy_itable_init !== null && type.startsWith("ext")) {
    words.push("-E", `lazy_itable_init=${str(args.lazy_itable_init)}`);
  }
  if ([12, 16, 32].includes(Number(args.fat)) && type.endsWith("fat")) words.push("-F", str(args.fat));
  if (truthy(args.force)) {
    if (type.startsWith("ext")) words.push("-F");
    else if (type === "xfs") words.push("-f");
  }
  const made = await runAll(context, [...words, str(args.device)], { ignore_retcode: true });
  const written = await runAll(context, ["sync"], { ignore_retcode: true });
  return made.retcode === 0 && written.retcode === 0;
}

async function fstype(context: JobContext, device: unknown): Promise<string> {
  needAnyProgram(context, ["lsblk", "df"]);
  const words = shellWords(str(device));
  if (programPath(context, "lsblk") !== undefined) {
    const found = splitLines(await run(context, ["lsblk", "-o", "fstype", ...words]))[1]?.trim();
    if (truthy(found)) return found!;
  }
  if (programPath(context, "df") === undefined) return "";
  return splitLines(await run(context, ["df", "-T", ...words]))[1] ?? "";
}

/** A value of `hdparm`: a number with its meaning, or parts between slashes and commas. */
function parameterOf(text: string): unknown {
  const both = /^(\d+) \((.*)\)/.exec(text);
  if (both !== null) return [Number(both[1]), both[2]!.split(" ")[0]!.replace(/^[()]+|[()]+$/g, "")];
  const values: unknown[] = [];
  const named: [string, string][] = [];
  for (const part of text.split(/[/,]/).map((piece) => piece.trim())) {
    const at = part.indexOf("=");
    if (/^[+-]?\d+$/.test(part)) values.push(Number(part));
    else if (at >= 0) {
      const value = part.slice(at + 1).trim();
      if (value !== "") named.push([part.slice(0, at).trim(), value]);
    } else if (part !== "") values.push(part);
  }
  if (named.length > 0) values.push(Object.fromEntries(named));
  return values.length === 0 ? undefined : values.length === 1 ? values[0] : values;
}

const ALL_PARAMETERS = "aAbBcCdgHiJkMmNnQrRuW";

async function hdparms(context: JobContext, disks: unknown, args: unknown): Promise<Record<string, unknown>> {
  needProgram(context, "hdparm");
  const letters = args === null ? ALL_PARAMETERS : Array.isArray(args) ? args.map(str).join("") : str(args);
  const out: [string, unknown][] = [];
  for (const name of [disks].flat().map(str)) {
    const disk = name.startsWith("/dev") ? name : `/dev/${name}`;
    const { stdout } = await runAll(context, ["hdparm", `-${letters}`, disk]);
    const data: [string, unknown][] = [];
    for (const line of splitLines(stdout).map((text) => text.trim())) {
      if (line === "" || line === `${disk}:`) continue;
      const at = line.includes(":") ? line.indexOf(":") : line.indexOf("=");
      if (at < 0) continue;
      const value = parameterOf(line.slice(at + 1).trim());
      const key = line.slice(0, at).replace(/ is$/, "").trim().toLowerCase().replaceAll(" ", "_");
      if (value !== undefined) data.push([key, value]);
    }
    out.push([disk, Object.fromEntries(data)]);
  }
  return Object.fromEntries(out);
}

/** Sectors of disks that are shown and hidden; with a size, hides all but that. */
async function hpa(context: JobContext, disks: unknown, size: unknown): Promise<unknown> {
  const all: Record<string, { total: number; visible?: number; hidden?: number }> = {};
  for (const [disk, data] of Object.entries(await hdparms(context, disks, "N"))) {
    const [visible = 0, total = 0, status] = [Object.values(data as Record<string, unknown>)[0]].flat() as unknown[];
    const [shown, whole] = [Number(visible), Number(total)];
    all[disk] = shown === whole || str(status).includes("disabled")
      ? { total: whole }
      : { total: whole, visible: shown, hidden: whole - shown };
  }
  if (size === null) return all;
  for (const [disk, { total }] of Object.entries(all)) {
    const text = str(size);
    let sectors = text.endsWith("%") ? (100 - Number(text.slice(0, -1))) * total / 100 : total - Number(text);
    if (!(sectors > 0)) sectors = total;
    await runAll(context, ["hdparm", "--yes-i-know-what-i-am-doing", `-Np${Math.trunc(sectors)}`, disk]);
  }
  return null;
}

async function smartAttributes(context: JobContext, args: Record<string, unknown>): Promise<unknown> {
  const name = str(args.dev);
  const device = name.startsWith("/dev/") ? name : `/dev/${name}`;
  const { retcode, stdout, stderr } = await runAll(context, ["smartctl", "--attributes", device]);
  if (retcode !== 0) throw new CommandExecutionError(stderr);
  const lines = splitLines(stdout);
  const head = lines.findIndex((line) => line.startsWith("ID#"));
  const fields = splitWords(lines[head] ?? "").slice(1).map((field) => field.toLowerCase());
  const wanted = Array.isArray(args.values) ? args.values.map(str) : undefined;
  const numbers = Array.isArray(args.attributes) ? args.attributes.map(Number) : undefined;
  const found = new Map<number, Record<string, unknown>>();
  for (const line of lines.slice(head + 1)) {
    if (!/^\s*\d/.test(line)) break;
    const words = splitWords(line);
    const id = Number(words[0]);
    if (numbers !== undefined && !numbers.includes(id)) continue;
    const values = [...words.slice(1, fields.length), words.slice(fields.length).join(" ")];
    const entries = fields.map((field, at) => [field, numberOrText(values[at] ?? "")] as const)
      .filter(([field]) => wanted === undefined || wanted.includes(field));
    found.set(id, Object.fromEntries(entries));
  }
  return found;
}

function numberOrText(text: string): unknown {
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  const parts = text.split(" ");
  return parts.every((part) => /^[+-]?\d+$/.test(part)) ? parts.map(Number) : text;
}

/** Means of columns, to two digits. */
function means(header: string[], rows: number[][]): Record<string, unknown> {
  return Object.fromEntries(header.map((name, at) => {
    const sum = rows.reduce((total, row) => total + (row[at] ?? 0), 0);
    return [name, toFloat(Math.round(sum / rows.length * 100) / 100)];
  }));
}

async function iostat(context: JobContext, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  needProgram(context, "iostat");
  const disks = args.disks === null ? [] : [args.disks].flat().map(str);
  const words = ["iostat", disks.length === 0 ? "-x" : "-xd", str(args.interval), str(args.count), ...disks];
  const lines = splitLines(str(await context.call("cmd.run_stdout", [words], { python_shell: false })));
  const headers = new Map<string, string[]>();
  const rows = new Map<string, number[][]>();
  const add = (name: string, header: string[], values: string[]) => {
    if (!headers.has(name)) headers.set(name, header);
    rows.set(name, [...rows.get(name) ?? [], values.map(Number)]);
  };
  for (let at = 0; at < lines.length; at++) {
    const words = splitWords(lines[at]!);
    if (words[0] === "avg-cpu:") add("sys", words.slice(1), splitWords(lines[++at] ?? ""));
    else if (/^Device:?$/.test(words[0] ?? "")) {
      while (/^[A-Za-z0-9]/.test(lines[at + 1] ?? "")) {
        const [disk = "", ...values] = splitWords(lines[++at]!);
        add(disk, words.slice(1), values);
      }
    }
  }
  return Object.fromEntries([...rows].map(([name, values]) => [name, means(headers.get(name)!, values)]));
}

/** Disks and their usage. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "win32" ? { unavailable: "This module doesn't work on Windows." } : true,
  functions: {
    usage: {
      signature: "args=None",
      doc: "The usage of the mounted file systems. Arguments are options of df.\n\n    salt '*' disk.usage",
      run: (context, { args }) => usage(context, args),
    },
    inodeusage: {
      signature: "args=None",
      doc: "The inode usage of the mounted file systems.\n\n    salt '*' disk.inodeusage",
      run: (context, { args }) => inodeUsage(context, args),
    },
    percent: {
      signature: "args=None",
      doc: "The usage of each mounted file system, or of one, in percent.\n\n    salt '*' disk.percent /var",
      run: (context, { args }) => percent(context, args),
    },
    blkid: {
      signature: "device=None, token=None",
      doc: "Labels and UUIDs of block devices: all, one, or those with a tag.\n\n" +
        "    salt '*' disk.blkid token='UUID=6a38ee5-7235-44e7-8b22-816a403bad5d'",
      run: (context, { device, token }) => blkid(context, device, token),
    },
    dump: {
      signature: "device, args=None",
      doc: "The parameters of a block device, from blockdev.\n\n    salt '*' disk.dump /dev/sda1",
      run: (context, { device, args }) => dump(context, device, args),
    },
    tune: {
      signature: "device, **kwargs",
      doc: "Changes a block device: read-ahead, filesystem-read-ahead, read-only, read-write.\n\n" +
        "    salt '*' disk.tune /dev/sda1 read-ahead=1024 read-write=True",
      run: (context, { device, kwargs }) => tune(context, device, kwargs),
    },
    wipe: {
      signature: "device",
      doc: "Wipes the file system signatures of a device.\n\n    salt '*' disk.wipe /dev/sda1",
      run: async (context, { device }) =>
        (await runAll(context, ["wipefs", "-a", ...shellWords(str(device))])).retcode === 0,
    },
    resize2fs: {
      signature: "device",
      doc:
        "Grows a file system to the size of its device; null if that failed.\n\n    salt '*' disk.resize2fs /dev/sda1",
      run: async (context, { device }) =>
        (await runAll(context, ["resize2fs", ...shellWords(str(device))])).retcode === 0 ? true : null,
    },
    format: {
      signature: "device, fs_type='ext4', inode_size=None, lazy_itable_init=None, fat=None, force=False",
      doc: "Creates a file system on a device.\n\n    salt '*' disk.format /dev/sdX1",
      run: format,
    },
    fstype: {
      signature: "device",
      doc: "The type of the file system on a device.\n\n    salt '*' disk.fstype /dev/sdX1",
      run: (context, { device }) => fstype(context, device),
    },
    get_fstype_from_path: {
      signature: "path",
      doc: "The type of the file system of a path.\n\n    salt '*' disk.get_fstype_from_path /root",
      run: async (context, { path }) => await fstype(context, await context.call("mount.get_device_from_path", [path])),
    },
    hdparms: {
      signature: "disks, args=None",
      doc: "Parameters of hard disks.\n\n    salt '*' disk.hdparms sda",
      run: (context, { disks, args }) => hdparms(context, disks, args),
    },
    hpa: {
      signature: "disks, size=None",
      doc:
        "The host protected area of hard disks; with a size, sets the visible sectors.\n\n    salt '*' disk.hpa /dev/sda",
      run: (context, { disks, size }) => hpa(context, disks, size),
    },
    smart_attributes: {
      signature: "dev, attributes=None, values=None",
      doc: "The SMART attributes of a disk.\n\n    salt '*' disk.smart_attributes /dev/sda",
      run: smartAttributes,
    },
    iostat: {
      signature: "interval=1, count=5, disks=None",
      doc: "The activity of disks, as the mean of several samples.\n\n    salt '*' disk.iostat 1 5 disks=sda",
      run: iostat,
    },
  },
};
