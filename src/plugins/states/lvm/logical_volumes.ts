/** The states of logical volumes: `lvm.lv_present`, `lv_absent`. */
import { SaltInvocationError } from "../../../model/loader/family.ts";
import { outcome, type StateContext, stateFunction } from "../../../model/loader/states.ts";
import { type Args, isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { createComplaint } from "../../modules/linux_lvm/logical.ts";

/** Megabytes of each unit: sectors of 512 bytes, and so on. */
const UNITS: Readonly<Record<string, number>> = { s: 1 / 2048, m: 1, g: 1024, t: 1024 ** 2, p: 1024 ** 3 };

/** @throws {SaltInvocationError} if it is no size */
function megabytes(size: unknown): number {
  const text = str(size).toLowerCase();
  const [, digits, unit = "m"] = /^(\d+)(?:([a-z])b?)?$/.exec(text) ?? [];
  if (digits === undefined) throw new SaltInvocationError(`Size ${str(size)} is invalid.`);
  if (!Object.hasOwn(UNITS, unit)) throw new SaltInvocationError(`Unit ${unit} is invalid.`);
  return Number(digits) * UNITS[unit]!;
}

interface Volume {
  extents: number;
  size: number;
}

async function show(context: StateContext, path: string): Promise<Volume | undefined> {
  const volumes = await context.call("lvm.lvdisplay", [path], { quiet: true });
  const found = isMap(volumes) ? lookup(volumes, path) : undefined;
  if (!isMap(found)) return undefined;
  const field = (name: string) => str(lookup(found, name));
  return {
    extents: Number(field("Current Logical Extents Associated")),
    size: megabytes(`${field("Logical Volume Size")}s`),
  };
}

const said = (answer: unknown, key: string): string => isMap(answer) ? str(lookup(answer, key)) : str(answer);

async function create(context: StateContext, path: string, name: unknown, args: Args, snapshot: unknown) {
  const isSized = truthy(args.size) || truthy(args.extents);
  const complaint = isSized ? createComplaint({ ...args, lvname: name }) : undefined;
  if (complaint !== undefined) {
    return outcome(args.name, false, `Failed to create Logical Volume ${str(name)}. Error: ${complaint}`);
  }
  if (context.test) return outcome(args.name, null, `Logical Volume ${str(name)} is set to be created`);
  const { vgname, size, extents, pv, thinvolume, thinpool, force, kwargs } = args;
  const keyword = { size, extents, snapshot, pv, thinvolume, thinpool, force, ...kwargs as object };
  const made = await context.call("lvm.lvcreate", [name, vgname], keyword);
  if (truthy(await context.call("lvm.lvdisplay", [path]))) {
    return outcome(args.name, true, `Created Logical Volume ${str(name)}`, { created: made });
  }
  const comment = `Failed to create Logical Volume ${str(name)}. Error: ${said(made, "Output from lvcreate")}`;
  return outcome(args.name, false, comment);
}

async function resize(context: StateContext, path: string, name: unknown, args: Args, now: Volume) {
  const { size, force, resizefs } = args;
  let comment = `Logical Volume ${str(name)} already present`;
  if (!truthy(size) && !truthy(args.extents)) return outcome(args.name, true, comment);
  const percent = !truthy(size) && str(args.extents).includes("%");
  if (percent) comment = `${comment}, ${str(args.extents)} won't be resized.`;
  const extents = truthy(size) || percent ? now.extents : Number(args.extents);
  if (Number.isNaN(extents)) {
    throw new SaltInvocationError(`Cannot resize to "${str(args.extents)}" extents: expected a number`);
  }
  const wanted = truthy(size) ? megabytes(size) : now.size;
  if (force === false && (wanted < now.size || extents < now.extents)) {
    return outcome(args.name, false, "To reduce a Logical Volume option 'force' must be True.");
  }
  if (wanted === now.size && extents === now.extents) return outcome(args.name, true, comment);
  if (context.test) return outcome(args.name, null, `Logical Volume ${str(name)} is set to be resized`);
  const done = await context.call("lvm.lvresize", [], {
    lvpath: path,
    ...(truthy(size) ? { size } : { extents }),
    resizefs,
    force,
  });
  const after = await show(context, path);
  if (after !== undefined && after.size !== now.size) {
    // Salt leaves it a failure where the program had nothing to say.
    return outcome(args.name, truthy(done), `Resized Logical Volume ${str(name)}`, { resized: done });
  }
  const error = said(done, "Output from lvresize");
  return outcome(args.name, false, `Failed to resize Logical Volume ${str(name)}.\nError: ${error}`);
}

export const volumePresent = stateFunction({
  signature: `name, vgname=None, size=None, extents=None, snapshot=None, pv='', thinvolume=False,
    thinpool=False, force=False, resizefs=False, **kwargs`,
  doc: "The logical volume exists and has that size; it becomes smaller only with `force`.",
  async run(context, args) {
    if (truthy(args.extents) && truthy(args.size)) {
      return outcome(args.name, false, "Only one of extents or size can be specified.");
    }
    if (truthy(args.size)) megabytes(args.size);
    // A snapshot is what is made, and the name says of which volume.
    const name = truthy(args.snapshot) ? args.snapshot : args.name;
    const snapshot = truthy(args.snapshot) ? args.name : null;
    const group = truthy(args.thinvolume) ? str(args.vgname).split("/")[0]! : str(args.vgname);
    const path = `/dev/${group}/${str(name)}`;
    const now = await show(context, path);
    const ret = now === undefined
      ? await create(context, path, name, args, snapshot)
      : await resize(context, path, name, args, now);
    return { ...ret, name: args.name };
  },
});

export const volumeAbsent = stateFunction({
  signature: "name, vgname=None",
  doc: "The logical volume does not exist.",
  async run(context, { name, vgname }) {
    const path = `/dev/${str(vgname)}/${str(name)}`;
    const there = async () => truthy(await context.call("lvm.lvdisplay", [path], { quiet: true }));
    if (!await there()) return outcome(name, true, `Logical Volume ${str(name)} already absent`);
    if (context.test) return outcome(name, null, `Logical Volume ${str(name)} is set to be removed`);
    const removed = await context.call("lvm.lvremove", [name, vgname]);
    return await there()
      ? outcome(name, false, `Failed to remove Logical Volume ${str(name)}`)
      : outcome(name, true, `Removed Logical Volume ${str(name)}`, { removed });
  },
});
