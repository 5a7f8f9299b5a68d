import type { Args } from "../../model/loader/signature.ts";
import type { JobContext } from "../../model/loader/context.ts";
import {
  CommandExecutionError,
  exampledFunctions,
  type ExecutionFunction,
  type ExecutionModule,
} from "../../model/loader/family.ts";
import { splitLines } from "../../language/python/lines.ts";
import { str } from "../../language/python/repr.ts";
import { truthy } from "../../language/python/truth.ts";
import { splitWords } from "../../language/python/whitespace.ts";
import { operand, programPath, run } from "../commands.ts";
import { boundary, device, isBlockDevice, number, oneOf } from "./parted_partition/checks.ts";
import { parseListing } from "./parted_partition/listing.ts";

const lines = async (context: JobContext, words: readonly string[]): Promise<string[]> =>
  splitLines(await run(context, words));

const parted = (context: JobContext, ...words: string[]): Promise<string[]> =>
  lines(context, ["parted", "-m", "-s", ...words]);

async function list(context: JobContext, { device: path, unit }: Args) {
  const disk = device(context, path);
  const words = truthy(unit) ? ["unit", oneOf("unit", unit, "part_list")] : [];
  const text = await context.call("cmd.run_stdout", [["parted", "-m", "-s", disk, ...words, "print"]], {
    python_shell: false,
  });
  return parseListing(str(text), words[1]);
}

async function systemTypes(context: JobContext): Promise<Record<string, string>> {
  const rows = (await lines(context, ["sfdisk", "-T"])).filter((line) => line !== "" && !line.startsWith("Id"))
    .map(splitWords);
  return Object.fromEntries(rows.filter((row) => row.length > 1).map(([id, name]) => [id!, name!]));
}

async function setId(context: JobContext, { device: path, minor, system_id: id }: Args): Promise<string[]> {
  const [disk, partition] = [device(context, path), number(minor, "set_id")];
  if (!Object.hasOwn(await systemTypes(context), str(id))) {
    throw new CommandExecutionError("Invalid system_id passed to partition.set_id");
  }
  return await lines(context, ["sfdisk", "--change-id", disk, partition, str(id)]);
}

async function mkfs(context: JobContext, { device: path, fs_type: type }: Args): Promise<unknown> {
  const disk = device(context, path);
  const asked = oneOf("fs_type", type, "mkfs");
  const program = asked === "linux-swap" ? "mkswap" : `mkfs.${asked === "NTFS" ? "ntfs" : asked}`;
  if (programPath(context, program) === undefined) return `Error: ${program} is unavailable.`;
  return await lines(context, [program, disk]);
}

function mkpart(context: JobContext, args: Args): Promise<string[]> {
  const { part_type: type, fs_type: files, start, end } = args;
  const words = [device(context, args.device), "mkpart", oneOf("part_type", type, "mkpart")];
  if (truthy(files)) words.push(oneOf("fs_type", files, "mkpart"));
  if (start !== null && end !== null) words.push(boundary(start), boundary(end));
  else for (const place of [start, end]) words.push(place === null ? "" : boundary(place));
  return parted(context, "--", ...words);
}

function rename(context: JobContext, { device: path, partition, name }: Args): Promise<string[]> {
  const words = [device(context, path), "name", number(partition, "name", "partition")];
  if (!/^[A-Za-z0-9 _-]*$/.test(str(name))) {
    throw new CommandExecutionError("Invalid characters passed to partition.name");
  }
  // parted takes one pair of quotes off.
  return parted(context, ...words, `'${str(name)}'`);
}

const fun = exampledFunctions("partition");

const LOST = " WARNING: data may be lost.";
const MINOR = "\n\nminor: number of the partition";
const FLAG = "\n\nflag: such as boot, lvm, raid or swap";

/** Functions that read and check. */
const LOOKING: Record<string, ExecutionFunction> = {
  probe: fun(
    "*devices",
    "Tells the kernel of changed partitions, of these devices or all.\n\ndevices: such as /dev/sda",
    "probe /dev/sda",
    (context, { devices }) => lines(context, ["partprobe", "--", ...devices.map((one) => device(context, one))]),
  ),
  list: fun(
    "device, unit=None",
    "A disk and its partitions.\n\nunit: such as s, MiB or %",
    "list /dev/sda unit=s",
    list,
  ),
  align_check: fun(
    "device, part_type, partition",
    "Whether a partition is aligned.\n\npart_type: minimal or optimal\npartition: its number",
    "align_check /dev/sda minimal 1",
    (context, { device: path, part_type: type, partition }) => {
      const disk = device(context, path);
      const words = [oneOf("alignment", type, "align_check"), number(partition, "align_check", "partition")];
      return lines(context, ["parted", "-m", disk, "align-check", ...words]);
    },
  ),
  check: fun(
    "device, minor",
    `Whether the file system of a partition has errors.${MINOR}`,
    "check /dev/sda 1",
    (context, { device: path, minor }) => parted(context, device(context, path), "check", number(minor, "check")),
  ),
  get_id: fun(
    "device, minor",
    `The system id of a partition.${MINOR}`,
    "get_id /dev/sda 1",
    (context, { device: path, minor }) =>
      lines(context, ["sfdisk", "--print-id", device(context, path), number(minor, "get_id")]),
  ),
  system_types: fun("", "The system ids that sfdisk knows.", "system_types", systemTypes),
  exists: fun(
    "device=''",
    "True if it is a block device.",
    "exists /dev/sdb1",
    (context, { device: path }) => isBlockDevice(context, path),
  ),
  get_block_device: fun(
    "",
    "The names of the disks.",
    "get_block_device",
    (context) => lines(context, ["lsblk", "-n", "-io", "KNAME", "-d", "-e", "1,7,11", "-l"]),
  ),
};

/** Functions that change a disk. */
const CHANGING: Record<string, ExecutionFunction> = {
  cp: fun(
    "device, from_minor, to_minor",
    `Copies the file system of a partition to another.${LOST}\n\nfrom_minor, to_minor: numbers of partitions`,
    "cp /dev/sda 2 3",
    (context, { device: path, from_minor: from, to_minor: to }) =>
      parted(context, device(context, path), "cp", number(from, "cp"), number(to, "cp")),
  ),
  set_id: fun(
    "device, minor, system_id",
    `Sets the system id of a partition.${MINOR}\nsystem_id: such as 83; see partition.system_types`,
    "set_id /dev/sda 1 83",
    setId,
  ),
  mkfs: fun(
    "device, fs_type",
    `Makes a file system.${LOST}\n\nfs_type: such as ext4, xfs or linux-swap`,
    "mkfs /dev/sda2 fs_type=ext4",
    mkfs,
  ),
  mklabel: fun(
    "device, label_type",
    `Makes an empty table of partitions.${LOST}\n\nlabel_type: such as gpt or msdos`,
    "mklabel /dev/sda gpt",
    (context, { device: path, label_type: type }) =>
      parted(context, operand(path, "a device"), "mklabel", oneOf("label_type", type, "mklabel")),
  ),
  mkpart: fun(
    "device, part_type, fs_type=None, start=None, end=None",
    "Makes a partition.\n\npart_type: primary, logical or extended\nstart, end: such as 1MiB, 10% or 2048s",
    "mkpart /dev/sda primary fs_type=ext4 start=0 end=639",
    mkpart,
  ),
  mkpartfs: fun(
    "device, part_type, fs_type=None, start=None, end=None",
    "The same as partition.mkpart.\n\npart_type: primary, logical or extended\nstart, end: such as 1MiB, 10% or 2048s",
    "mkpartfs /dev/sda logical ext4 440 670",
    mkpart,
  ),
  name: fun(
    "device, partition, name",
    "Names a partition; letters, digits, spaces, _ and - are taken.\n\npartition: its number",
    "name /dev/sda 1 'My Documents'",
    rename,
  ),
  rescue: fun(
    "device, start, end",
    "Looks for a lost partition near a place.\n\nstart, end: such as 1MiB or 10%",
    "rescue /dev/sda 0 8056",
    (context, { device: path, start, end }) =>
      parted(context, device(context, path), "rescue", boundary(start), boundary(end)),
  ),
  resize: fun(
    "device, minor, start, end",
    `Resizes a partition.${MINOR}\nstart, end: such as 1MiB or 10%`,
    "resize /dev/sda 3 200 850",
    (context, { device: path, minor, start, end }) =>
      parted(context, "--", device(context, path), "resize", number(minor, "resize"), boundary(start), boundary(end)),
  ),
  rm: fun(
    "device, minor",
    `Removes a partition.${LOST}${MINOR}`,
    "rm /dev/sda 5",
    (context, { device: path, minor }) => parted(context, device(context, path), "rm", number(minor, "rm")),
  ),
  set: fun(
    "device, minor, flag, state",
    `Sets a flag of a partition.${FLAG}\nminor: number of the partition\nstate: on or off`,
    "set /dev/sda 1 boot '\"on\"'",
    (context, { device: path, minor, flag, state }) => {
      const words = [device(context, path), "set", number(minor, "set"), oneOf("flag", flag, "set")];
      return parted(context, ...words, oneOf("state", state, "set"));
    },
  ),
  toggle: fun(
    "device, partition, flag",
    `Toggles a flag of a partition.${FLAG}\npartition: its number`,
    "toggle /dev/sda 1 boot",
    (context, { device: path, partition, flag }) => {
      const words = [device(context, path), "toggle", number(partition, "toggle", "partition number")];
      return parted(context, ...words, oneOf("flag", flag, "toggle"));
    },
  ),
  disk_set: fun(
    "device, flag, state",
    "Sets a flag of a disk.\n\nflag: such as pmbr_boot\nstate: on or off",
    "disk_set /dev/sda pmbr_boot '\"on\"'",
    (context, { device: path, flag, state }) => {
      const words = [device(context, path), "disk_set", oneOf("disk flag", flag, "disk_set")];
      return parted(context, ...words, oneOf("state", state, "disk_set"));
    },
  ),
  disk_toggle: fun(
    "device, flag",
    "Toggles a flag of a disk.\n\nflag: such as pmbr_boot",
    "disk_toggle /dev/sda pmbr_boot",
    (context, { device: path, flag }) =>
      parted(context, device(context, path), "disk_toggle", oneOf("disk flag", flag, "disk_toggle")),
  ),
};

/** Partitions of disks, with parted. */
export const module: ExecutionModule = {
  virtual(context) {
    const missing = ["parted", "lsblk", "partprobe"].find((name) => programPath(context, name) === undefined);
    return missing === undefined
      ? true
      : { unavailable: `The parted execution module failed to load ${missing} binary is not in the path.` };
  },
  functions: { ...LOOKING, ...CHANGING },
};
