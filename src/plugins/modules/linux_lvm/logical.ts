/** Logical volumes: made, removed, resized. */
import { CommandNotFoundError, type JobContext } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { operand, programPath } from "../../commands.ts";
import { saying } from "./groups.ts";
import { answering } from "./physical.ts";
import { logicalVolumes } from "./tables.ts";

const OPTIONS = [
  "activate",
  "chunksize",
  "contiguous",
  "discards",
  "stripes",
  "stripesize",
  "minor",
  "persistent",
  "mirrors",
  "monitor",
  "permission",
  "poolmetadatasize",
  "readahead",
  "regionsize",
  "type",
  "virtualsize",
  "zero",
];
/** Options without a value. */
const FLAGS = ["nosync", "noudevsync", "ignoremonitoring", "thin"];

const BOTH = "Please specify only one of size or extents";
const NEITHER = "Either size or extents must be specified";

function further(kwargs: Args): string[] {
  return Object.entries(kwargs).flatMap(([name, value]) => {
    if (FLAGS.includes(name)) return [`--${name}`];
    return OPTIONS.includes(name) ? [`--${name}`, str(value)] : [];
  });
}

/** Why no volume can be made of these arguments; undefined if one can. @throws {SaltInvocationError} for a name that is none */
export function createComplaint({ lvname, vgname, size, extents, thinvolume, thinpool }: Args): string | undefined {
  if (truthy(size) && truthy(extents)) return `Error: ${BOTH}`;
  if (truthy(thinvolume) && truthy(thinpool)) return "Error: Please set only one of thinvolume or thinpool to True";
  if (!truthy(size) && truthy(extents) && truthy(thinvolume)) {
    return "Error: Thin volume size cannot be specified as extents";
  }
  if (!truthy(size) && !truthy(extents)) return `Error: ${NEITHER}`;
  operand(lvname, "a logical volume");
  operand(vgname, "a volume group");
  return undefined;
}

export async function createLogical(context: JobContext, args: Args): Promise<unknown> {
  const { size, extents, snapshot, pv, thinvolume, thinpool, force } = args;
  const complaint = createComplaint(args);
  if (complaint !== undefined) return complaint;
  const program = programPath(context, "lvcreate");
  if (program === undefined) throw new CommandNotFoundError("The 'lvcreate' binary was not found in $PATH.");
  const [name, group] = [operand(args.lvname, "a logical volume"), operand(args.vgname, "a volume group")];
  const naming = truthy(thinvolume) ? ["--thin", "-n", name] : truthy(thinpool) ? ["--thinpool", name] : ["-n", name];
  const words = [
    program,
    ...naming,
    ...(truthy(snapshot) ? ["-s", `${group}/${str(snapshot)}`] : [group]),
    ...(truthy(size) ? [truthy(thinvolume) ? "-V" : "-L", str(size)] : ["-l", str(extents)]),
    ...(truthy(pv) ? [operand(pv, "a device")] : []),
    ...further(args.kwargs as Args),
    answering(force),
  ];
  const said = await saying(context, words, `Logical volume "${name}" created.`);
  return { ...await logicalVolumes(context, `/dev/${group}/${name}`), "Output from lvcreate": said };
}

export async function removeLogical(context: JobContext, { lvname, vgname, force }: Args): Promise<string> {
  const name = operand(lvname, "a logical volume");
  const words = ["lvremove", `${operand(vgname, "a volume group")}/${name}`, answering(force)];
  return await saying(context, words, `Logical volume "${name}" successfully removed`);
}

/** @param force the flag for it */
async function toSize(context: JobContext, program: string, done: string, force: string, args: Args) {
  const { size, extents, lvpath, resizefs } = args;
  const wrong = truthy(size) && truthy(extents) ? BOTH : truthy(size) || truthy(extents) ? undefined : NEITHER;
  if (wrong !== undefined) {
    context.log.error(`Error: ${wrong}`);
    return {};
  }
  const path = operand(lvpath, "a logical volume");
  const words = [
    program,
    truthy(args.force) ? force : "-qq",
    ...(truthy(resizefs) ? ["--resizefs"] : []),
    ...(truthy(size) ? ["-L", str(size)] : ["-l", str(extents)]),
    path,
  ];
  return { [`Output from ${program}`]: await saying(context, words, `Logical volume "${path}" successfully ${done}.`) };
}

export const resizeLogical = (context: JobContext, args: Args) =>
  toSize(context, "lvresize", "resized", "--force", args);
export const extendLogical = (context: JobContext, args: Args) =>
  toSize(context, "lvextend", "extended", "--yes", args);
