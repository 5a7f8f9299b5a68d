/** Physical volumes: made, removed, resized. */
import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { operands, runAll } from "../../commands.ts";
import { exists } from "../../linux/paths.ts";
import { physicalVolumes } from "./tables.ts";

const OPTIONS = [
  "metadatasize",
  "dataalignment",
  "dataalignmentoffset",
  "pvmetadatacopies",
  "metadatacopies",
  "metadataignore",
  "restorefile",
  "norestorefile",
  "labelsector",
  "setphysicalvolumesize",
];

/** Yes to all questions, or none asked and no word said. */
export const answering = (force: unknown): string => truthy(force) ? "--yes" : "-qq";

const isVolume = async (context: JobContext, device: string, quiet: boolean): Promise<boolean> =>
  truthy(await physicalVolumes(context, device, { quiet }));

export async function createPhysical(
  context: JobContext,
  { devices: given, override, force, kwargs }: Args,
): Promise<unknown> {
  if (!truthy(given)) return "Error: at least one device is required";
  const devices = operands(given, "a device");
  const fresh: string[] = [];
  for (const device of devices) {
    if (!exists(context.runtime.fs, device)) return `${device} does not exist`;
    if (!await isVolume(context, device, true)) fresh.push(device);
    else if (!truthy(override)) return `Device "${device}" is already an LVM physical volume.`;
  }
  if (fresh.length === 0) return true;
  const options = Object.entries(kwargs as Args).filter(([name, value]) => OPTIONS.includes(name) && truthy(value));
  const words = options.flatMap(([name, value]) => [`--${name}`, str(value)]);
  const { retcode, stderr } = await runAll(context, ["pvcreate", answering(force), ...fresh, ...words]);
  if (retcode !== 0) return stderr;
  for (const device of devices) {
    if (!await isVolume(context, device, false)) return `Device "${device}" was not affected.`;
  }
  return true;
}

/** Does something with those devices that are volumes. @param after what is looked at when it is done */
async function onVolumes(
  context: JobContext,
  program: string,
  { devices: given, override, force }: Args,
  after: (devices: string[]) => unknown = () => true,
): Promise<unknown> {
  const devices = operands(given, "a device");
  const there: string[] = [];
  for (const device of devices) {
    if (await isVolume(context, device, false)) there.push(device);
    else if (!truthy(override)) return `${device} is not a physical volume`;
  }
  if (there.length === 0) return true;
  const { retcode, stderr } = await runAll(context, [program, answering(force), ...there]);
  return retcode === 0 ? await after(devices) : stderr;
}

export const removePhysical = (context: JobContext, args: Args): Promise<unknown> =>
  onVolumes(context, "pvremove", args, async (devices) => {
    for (const device of devices) {
      if (await isVolume(context, device, true)) return `Device "${device}" was not affected.`;
    }
    return true;
  });

export const resizePhysical = (context: JobContext, args: Args): Promise<unknown> =>
  onVolumes(context, "pvresize", args);
