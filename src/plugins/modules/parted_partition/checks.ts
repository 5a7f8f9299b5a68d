/** What the functions of `partition` take, and nothing else. */
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { str } from "../../../language/python/values.ts";
import { operand } from "../../commands.ts";
import { lookAt } from "../../linux/paths.ts";

const UNITS = ["s", "B", "kB", "MB", "MiB", "GB", "GiB", "TB", "TiB", "%", "cyl", "chs", "compact"];

const DISK_FLAGS = ["cylinder_alignment", "pmbr_boot", "implicit_partition_table"];

const PARTITION_FLAGS = ("boot root swap hidden raid lvm lba hp-service palo prep msftres bios_grub atvrecv diag " +
  "legacy_boot msftdata irst esp type").split(" ");

const LABELS = ["aix", "amiga", "bsd", "dvh", "gpt", "loop", "mac", "msdos", "pc98", "sun"];

const FILE_SYSTEMS = ("btrfs ext2 ext3 ext4 fat fat32 fat16 linux-swap reiserfs hfs hfs+ hfsx NTFS ntfs ufs xfs")
  .split(" ");

/** What may stand where, by the name that errors give it. */
const VALUES = {
  unit: UNITS,
  "disk flag": DISK_FLAGS,
  flag: PARTITION_FLAGS,
  label_type: LABELS,
  fs_type: FILE_SYSTEMS,
  state: ["on", "off"],
  part_type: ["primary", "logical", "extended"],
  alignment: ["minimal", "optimal"],
} as const;

/** How errors call those whose name is another there. */
const CALLED: Record<string, string> = { "disk flag": "flag", alignment: "part_type" };

/** @throws {CommandExecutionError} if it is none of them */
export function checkedOneOf(kind: keyof typeof VALUES, value: unknown, fun: string): string {
  const known: readonly string[] = VALUES[kind];
  if (known.includes(str(value))) return str(value);
  throw new CommandExecutionError(`Invalid ${CALLED[kind] ?? kind} passed to partition.${fun}`);
}

export const isBlockDevice = ({ runtime: { fs } }: JobContext, path: unknown): boolean =>
  lookAt(fs, str(path))?.kind === "block";

/** @throws {CommandExecutionError} if it is no block device */
export function device(context: JobContext, path: unknown): string {
  if (isBlockDevice(context, path)) return operand(path, "a device");
  throw new CommandExecutionError("Invalid device passed to partition module.");
}

/** The number of a partition. @param what how the error calls it */
export function checkedNumber(value: unknown, fun: string, what = "minor number"): string {
  if (/^\d+$/.test(str(value))) return str(value);
  throw new CommandExecutionError(`Invalid ${what} passed to partition.${fun}`);
}

/** A place on a disk, such as 10MiB. */
export function boundary(value: unknown): string {
  const [whole, unit = ""] = /^[\d.]+(\D*)$/.exec(str(value)) ?? [];
  if (whole !== undefined && (unit === "" || UNITS.includes(unit))) return whole;
  throw new CommandExecutionError(`Invalid partition boundary passed: "${str(value)}"`);
}
