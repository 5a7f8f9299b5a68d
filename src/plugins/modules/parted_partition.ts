import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions } from "../../model/loader/family.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { operand, programPath, run } from "../commands.ts";
import { boundary, checkedNumber, checkedOneOf, device, isBlockDevice } from "./parted_partition/checks.ts";
import { parsePartedListing } from "./parted_partition/listing.ts";

const lines = async (context: JobContext, words: readonly string[]): Promise<string[]> =>
  splitLines(await run(context, words));

const parted = (context: JobContext, ...words: string[]): Promise<string[]> =>
  lines(context, ["parted", "-m", "-s", ...words]);

async function systemTypes(context: JobContext): Promise<Record<string, string>> {
  const rows = (await lines(context, ["sfdisk", "-T"])).filter((line) => line !== "" && !line.startsWith("Id"))
    .map(splitWords);
  return Object.fromEntries(rows.filter((row) => row.length > 1).map(([id, name]) => [id!, name!]));
}

function mkpart(context: JobContext, args: Args): Promise<string[]> {
  const { part_type: type, fs_type: files, start, end } = args;
  const words = [device(context, args.device), "mkpart", checkedOneOf("part_type", type, "mkpart")];
  if (truthy(files)) words.push(checkedOneOf("fs_type", files, "mkpart"));
  if (start !== null && end !== null) words.push(boundary(start), boundary(end));
  else for (const place of [start, end]) words.push(place === null ? "" : boundary(place));
  return parted(context, "--", ...words);
}

const LOST = " WARNING: data may be lost.";
const MINOR = "\n\nminor: number of the partition";
const FLAG = "\n\nflag: such as boot, lvm, raid or swap";

const LOOKING = executionFunctions({
  "probe(*devices)": {
    doc: "Tells the kernel of changed partitions, of these devices or all.\n\ndevices: such as /dev/sda\n\n" +
      "    salt '*' partition.probe /dev/sda",
    run: (context, { devices }) => lines(context, ["partprobe", "--", ...devices.map((one) => device(context, one))]),
  },
  "list(device, unit=None)": {
    doc: "A disk and its partitions.\n\nunit: such as s, MiB or %\n\n    salt '*' partition.list /dev/sda unit=s",
    async run(context, { device: path, unit }) {
      const disk = device(context, path);
      const words = truthy(unit) ? ["unit", checkedOneOf("unit", unit, "part_list")] : [];
      const text = await context.call("cmd.run_stdout", [["parted", "-m", "-s", disk, ...words, "print"]], {
        python_shell: false,
      });
      return parsePartedListing(str(text), words[1]);
    },
  },
  "align_check(device, part_type, partition)": {
    doc: "Whether a partition is aligned.\n\npart_type: minimal or optimal\npartition: its number\n\n" +
      "    salt '*' partition.align_check /dev/sda minimal 1",
    run(context, { device: path, part_type: type, partition }) {
      const disk = device(context, path);
      const words = [
        checkedOneOf("alignment", type, "align_check"),
        checkedNumber(partition, "align_check", "partition"),
      ];
      return lines(context, ["parted", "-m", disk, "align-check", ...words]);
    },
  },
  "check(device, minor)": {
    doc: `Whether the file system of a partition has errors.${MINOR}\n\n    salt '*' partition.check /dev/sda 1`,
    run: (context, { device: path, minor }) =>
      parted(context, device(context, path), "check", checkedNumber(minor, "check")),
  },
  "get_id(device, minor)": {
    doc: `The system id of a partition.${MINOR}\n\n    salt '*' partition.get_id /dev/sda 1`,
    run: (context, { device: path, minor }) =>
      lines(context, ["sfdisk", "--print-id", device(context, path), checkedNumber(minor, "get_id")]),
  },
  "system_types()": {
    doc: "The system ids that sfdisk knows.\n\n    salt '*' partition.system_types",
    run: systemTypes,
  },
  "exists(device='')": {
    doc: "True if it is a block device.\n\n    salt '*' partition.exists /dev/sdb1",
    run: (context, { device: path }) => isBlockDevice(context, path),
  },
  "get_block_device()": {
    doc: "The names of the disks.\n\n    salt '*' partition.get_block_device",
    run: (context) => lines(context, ["lsblk", "-n", "-io", "KNAME", "-d", "-e", "1,7,11", "-l"]),
  },
});

/** Functions that change a disk. */
const CHANGING = executionFunctions({
  "cp(device, from_minor, to_minor)": {
    doc: `Copies the file system of a partition to another.${LOST}\n\nfrom_minor, to_minor: numbers of ` +
      "partitions\n\n" + "    salt '*' partition.cp /dev/sda 2 3",
    run: (context, { device: path, from_minor: from, to_minor: to }) =>
      parted(context, device(context, path), "cp", checkedNumber(from, "cp"), checkedNumber(to, "cp")),
  },
  "set_id(device, minor, system_id)": {
    doc: `Sets the system id of a partition.${MINOR}\nsystem_id: such as 83; see partition.system_types\n\n` +
      "    salt '*' partition.set_id /dev/sda 1 83",
    async run(context, { device: path, minor, system_id: id }): Promise<string[]> {
      const [disk, partition] = [device(context, path), checkedNumber(minor, "set_id")];
      if (!Object.hasOwn(await systemTypes(context), str(id))) {
        throw new CommandExecutionError("Invalid system_id passed to partition.set_id");
      }
      return await lines(context, ["sfdisk", "--change-id", disk, partition, str(id)]);
    },
  },
  "mkfs(device, fs_type)": {
    doc: `Makes a file system.${LOST}\n\nfs_type: such as ext4, xfs or linux-swap\n\n` +
      "    salt '*' partition.mkfs /dev/sda2 fs_type=ext4",
    async run(context, { device: path, fs_type: type }): Promise<unknown> {
      const disk = device(context, path);
      const asked = checkedOneOf("fs_type", type, "mkfs");
      const program = asked === "linux-swap" ? "mkswap" : `mkfs.${asked === "NTFS" ? "ntfs" : asked}`;
      if (programPath(context, program) === undefined) return `Error: ${program} is unavailable.`;
      return await lines(context, [program, disk]);
    },
  },
  "mklabel(device, label_type)": {
    doc: `Makes an empty table of partitions.${LOST}\n\nlabel_type: such as gpt or msdos\n\n` +
      "    salt '*' partition.mklabel /dev/sda gpt",
    run: (context, { device: path, label_type: type }) =>
      parted(context, operand(path, "a device"), "mklabel", checkedOneOf("label_type", type, "mklabel")),
  },
  "mkpart(device, part_type, fs_type=None, start=None, end=None)": {
    doc: "Makes a partition.\n\npart_type: primary, logical or extended\nstart, end: such as 1MiB, 10% or " +
      "2048s\n\n" + "    salt '*' partition.mkpart /dev/sda primary fs_type=ext4 start=0 end=639",
    run: mkpart,
  },
  "mkpartfs(device, part_type, fs_type=None, start=None, end=None)": {
    doc: "The same as partition.mkpart.\n\npart_type: primary, logical or extended\nstart, end: such as 1MiB, 10% " +
      "or 2048s\n\n" + "    salt '*' partition.mkpartfs /dev/sda logical ext4 440 670",
    run: mkpart,
  },
  "name(device, partition, name)": {
    doc: "Names a partition; letters, digits, spaces, _ and - are taken.\n\npartition: its number\n\n" +
      "    salt '*' partition.name /dev/sda 1 'My Documents'",
    run(context, { device: path, partition, name }): Promise<string[]> {
      const words = [device(context, path), "name", checkedNumber(partition, "name", "partition")];
      if (!/^[A-Za-z0-9 _-]*$/.test(str(name))) {
        throw new CommandExecutionError("Invalid characters passed to partition.name");
      }
      // parted takes one pair of quotes off.
      return parted(context, ...words, `'${str(name)}'`);
    },
  },
  "rescue(device, start, end)": {
    doc: "Looks for a lost partition near a place.\n\nstart, end: such as 1MiB or 10%\n\n" +
      "    salt '*' partition.rescue /dev/sda 0 8056",
    run: (context, { device: path, start, end }) =>
      parted(context, device(context, path), "rescue", boundary(start), boundary(end)),
  },
  "resize(device, minor, start, end)": {
    doc: `Resizes a partition.${MINOR}\nstart, end: such as 1MiB or 10%\n\n` +
      "    salt '*' partition.resize /dev/sda 3 200 850",
    run: (context, { device: path, minor, start, end }) =>
      parted(
        context,
        "--",
        device(context, path),
        "resize",
        checkedNumber(minor, "resize"),
        boundary(start),
        boundary(end),
      ),
  },
  "rm(device, minor)": {
    doc: `Removes a partition.${LOST}${MINOR}\n\n    salt '*' partition.rm /dev/sda 5`,
    run: (context, { device: path, minor }) => parted(context, device(context, path), "rm", checkedNumber(minor, "rm")),
  },
  "set(device, minor, flag, state)": {
    doc: `Sets a flag of a partition.${FLAG}\nminor: number of the partition\nstate: on or off\n\n` +
      `    salt '*' partition.set /dev/sda 1 boot '"on"'`,
    run(context, { device: path, minor, flag, state }) {
      const words = [device(context, path), "set", checkedNumber(minor, "set"), checkedOneOf("flag", flag, "set")];
      return parted(context, ...words, checkedOneOf("state", state, "set"));
    },
  },
  "toggle(device, partition, flag)": {
    doc: `Toggles a flag of a partition.${FLAG}\npartition: its number\n\n` +
      "    salt '*' partition.toggle /dev/sda 1 boot",
    run(context, { device: path, partition, flag }) {
      const words = [device(context, path), "toggle", checkedNumber(partition, "toggle", "partition number")];
      return parted(context, ...words, checkedOneOf("flag", flag, "toggle"));
    },
  },
  "disk_set(device, flag, state)": {
    doc: "Sets a flag of a disk.\n\nflag: such as pmbr_boot\nstate: on or off\n\n" +
      `    salt '*' partition.disk_set /dev/sda pmbr_boot '"on"'`,
    run(context, { device: path, flag, state }) {
      const words = [device(context, path), "disk_set", checkedOneOf("disk flag", flag, "disk_set")];
      return parted(context, ...words, checkedOneOf("state", state, "disk_set"));
    },
  },
  "disk_toggle(device, flag)": {
    doc: "Toggles a flag of a disk.\n\nflag: such as pmbr_boot\n\n" +
      "    salt '*' partition.disk_toggle /dev/sda pmbr_boot",
    run: (context, { device: path, flag }) =>
      parted(context, device(context, path), "disk_toggle", checkedOneOf("disk flag", flag, "disk_toggle")),
  },
});

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
