/** What LVM lists of volumes, line by line with colons. */
import type { JobContext } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { truthy } from "../../../language/python/values.ts";
import { operand, runAll } from "../../commands.ts";
import { realPath } from "../../linux/paths.ts";

/** A volume by Salt's names of its fields. */
type Volume = Record<string, string>;
/** By device or name; with what a command said, under `Output from …`. */
type Volumes = Record<string, Volume | string>;

const PHYSICAL = [
  "Physical Volume Device",
  "Volume Group Name",
  "Physical Volume Size (kB)",
  "Internal Physical Volume Number",
  "Physical Volume Status",
  "Physical Volume (not) Allocatable",
  "Current Logical Volumes Here",
  "Physical Extent Size (kB)",
  "Total Physical Extents",
  "Free Physical Extents",
  "Allocated Physical Extents",
];

const GROUPS = [
  "Volume Group Name",
  "Volume Group Access",
  "Volume Group Status",
  "Internal Volume Group Number",
  "Maximum Logical Volumes",
  "Current Logical Volumes",
  "Open Logical Volumes",
  "Maximum Logical Volume Size",
  "Maximum Physical Volumes",
  "Current Physical Volumes",
  "Actual Physical Volumes",
  "Volume Group Size (kB)",
  "Physical Extent Size (kB)",
  "Total Physical Extents",
  "Allocated Physical Extents",
  "Free Physical Extents",
  "UUID",
];

const LOGICAL = [
  "Logical Volume Name",
  "Volume Group Name",
  "Logical Volume Access",
  "Logical Volume Status",
  "Internal Logical Volume Number",
  "Open Logical Volumes",
  "Logical Volume Size",
  "Current Logical Extents Associated",
  "Allocated Logical Extents",
  "Allocation Policy",
  "Read Ahead Sectors",
  "Major Device Number",
  "Minor Device Number",
];

/** @param asked one of them, or all */
async function list(
  context: JobContext,
  program: string,
  fields: readonly string[],
  asked: unknown,
  quiet: unknown,
): Promise<Volume[]> {
  const words = truthy(asked) ? [operand(asked, "a volume")] : [];
  const options = { ignore_retcode: quiet };
  const { retcode, stdout } = await runAll(context, [program, "-c", ...words], options);
  if (retcode !== 0) return [];
  const rows = splitLines(stdout).map((line) => line.trim().split(":"));
  // Other lines are remarks, such as that a device is a new physical volume.
  return rows.filter((row) => row.length >= fields.length).map((row) =>
    Object.fromEntries(fields.map((name, at) => [name, row[at]!]))
  );
}

/** The physical volumes: all, or one; `real` names them by the path to which links lead. */
export async function physicalVolumes(
  context: JobContext,
  asked: unknown = "",
  { real = false, quiet = false }: { real?: unknown; quiet?: unknown } = {},
): Promise<Record<string, Volume>> {
  const volumes = await list(context, "pvdisplay", PHYSICAL, asked, quiet);
  return Object.fromEntries(volumes.map((volume) => {
    const named = volume["Physical Volume Device"]!;
    if (!truthy(real)) return [named, volume];
    const device = realPath(context.runtime, named);
    return [device, { ...volume, "Real Physical Volume Device": device }];
  }));
}

export async function volumeGroups(context: JobContext, asked: unknown = "", quiet: unknown = false): Promise<Volumes> {
  const groups = await list(context, "vgdisplay", GROUPS, asked, quiet);
  return Object.fromEntries(groups.map((group) => [group["Volume Group Name"]!, group]));
}

export async function logicalVolumes(
  context: JobContext,
  asked: unknown = "",
  quiet: unknown = false,
): Promise<Volumes> {
  const volumes = await list(context, "lvdisplay", LOGICAL, asked, quiet);
  return Object.fromEntries(volumes.map((volume) => [volume["Logical Volume Name"]!, volume]));
}
