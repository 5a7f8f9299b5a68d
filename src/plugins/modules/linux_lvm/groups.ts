/** Volume groups: made, extended, removed. */
import type { JobContext } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { operand, operands, runAll } from "../../commands.ts";
import { answering } from "./physical.ts";
import { volumeGroups } from "./tables.ts";

const OPTIONS = [
  "addtag",
  "alloc",
  "autobackup",
  "clustered",
  "maxlogicalvolumes",
  "maxphysicalvolumes",
  "metadatatype",
  "vgmetadatacopies",
  "metadatacopies",
  "physicalextentsize",
  "zero",
];

/** Runs a command. @returns what went wrong, or the words for what went well */
export async function saying(context: JobContext, words: readonly string[], well: string): Promise<string> {
  const { retcode, stderr } = await runAll(context, words);
  return retcode === 0 ? well : stderr.trim();
}

const MISSING = "Error: vgname and device(s) are both required";

export async function createGroup(context: JobContext, { vgname, devices, force, kwargs }: Args): Promise<unknown> {
  if (!truthy(vgname) || !truthy(devices)) return MISSING;
  const name = operand(vgname, "a volume group");
  const options = Object.entries(kwargs as Args).filter(([key, value]) => OPTIONS.includes(key) && truthy(value))
    .flatMap(([key, value]) => [`--${key}`, str(value)]);
  const words = ["vgcreate", name, ...operands(devices, "a device"), answering(force), ...options];
  const said = await saying(context, words, `Volume group "${name}" successfully created`);
  return { ...await volumeGroups(context, name), "Output from vgcreate": said };
}

export async function extendGroup(context: JobContext, { vgname, devices, force }: Args): Promise<unknown> {
  if (!truthy(vgname) || !truthy(devices)) return MISSING;
  const name = operand(vgname, "a volume group");
  const words = ["vgextend", name, answering(force), ...operands(devices, "a device")];
  return { "Output from vgextend": await saying(context, words, `Volume group "${name}" successfully extended`) };
}

export async function removeGroup(context: JobContext, { vgname, force }: Args): Promise<string> {
  const name = operand(vgname, "a volume group");
  return await saying(context, ["vgremove", name, answering(force)], `Volume group "${name}" successfully removed`);
}
