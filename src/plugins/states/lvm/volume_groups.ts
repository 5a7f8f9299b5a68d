/** The states of physical volumes and volume groups: `lvm.pv_present`, `pv_absent`, `vg_present`, `vg_absent`. */
import { outcome, type StateContext, stateFunction, type StateReturn } from "../../../model/loader/states.ts";
import { isMap, lookup, str, truthy } from "../../../language/python/values.ts";
import { realPath } from "../../linux/paths.ts";

const isThere = async (context: StateContext, fun: string, name: unknown, keyword: Record<string, unknown> = {}) =>
  truthy(await context.call(`lvm.${fun}`, [name], keyword));

const QUIET = { quiet: true };

export const physicalPresent = stateFunction({
  signature: "name, **kwargs",
  doc: "The device is a physical volume; other arguments are those of lvm.pvcreate.",
  async run(context, { name, kwargs }) {
    const volume = `Physical Volume ${str(name)}`;
    if (await isThere(context, "pvdisplay", name, QUIET)) return outcome(name, true, `${volume} already present`);
    if (context.test) return outcome(name, null, `${volume} is set to be created`);
    const created = await context.call("lvm.pvcreate", [name], kwargs);
    return await isThere(context, "pvdisplay", name)
      ? outcome(name, true, `Created ${volume}`, { created })
      : outcome(name, false, `Failed to create ${volume}`);
  },
});

/** The state of what shall not exist. @param already what is said where it does not */
const absent = (title: string, kind: "pv" | "vg", doc: string, already: string) =>
  stateFunction({
    signature: "name",
    doc,
    async run(context, { name }) {
      const what = `${title} ${str(name)}`;
      if (!await isThere(context, `${kind}display`, name, QUIET)) return outcome(name, true, `${what} ${already}`);
      if (context.test) return outcome(name, null, `${what} is set to be removed`);
      const removed = await context.call(`lvm.${kind}remove`, [name]);
      return await isThere(context, `${kind}display`, name, QUIET)
        ? outcome(name, false, `Failed to remove ${what}`)
        : outcome(name, true, `Removed ${what}`, { removed });
    },
  });

export const physicalAbsent = absent("Physical Volume", "pv", "The device is no physical volume.", "does not exist");
export const groupAbsent = absent("Volume Group", "vg", "The volume group does not exist.", "already absent");

/** The group that a device is in, empty for none; undefined if it is no physical volume. */
async function groupOf(context: StateContext, device: string): Promise<string | undefined> {
  const real = realPath(context.runtime, device);
  const volumes = await context.call("lvm.pvdisplay", [real], { real: true });
  const volume = isMap(volumes) ? lookup(volumes, real) : undefined;
  return isMap(volume) ? str(lookup(volume, "Volume Group Name")) : undefined;
}

/** How LVM calls the group of a volume that is in none. */
const ORPHANS = ["", "#orphans_lvm2"];

async function extend(context: StateContext, name: unknown, devices: readonly string[]): Promise<StateReturn> {
  const lines = [`Volume Group ${str(name)} already present`];
  const changes: Record<string, string> = {};
  let result: boolean | null = true;
  for (const device of devices) {
    const group = await groupOf(context, device);
    if (group === str(name)) lines.push(`${device} is part of Volume Group`);
    else if (group !== undefined && ORPHANS.includes(group)) {
      if (context.test) {
        lines.push(`${device} is set to be added`);
        result = result === true ? null : result;
        continue;
      }
      await context.call("lvm.vgextend", [name, device]);
      if (await groupOf(context, device) === str(name)) changes[device] = `added to ${str(name)}`;
      else {
        lines.push(`${device} could not be added`);
        result = false;
      }
    } else {
      lines.push(group === undefined ? `pv ${device} is not present` : `${device} is part of ${group}`);
      result = false;
    }
  }
  return outcome(name, result, lines.join("\n"), changes);
}

export const groupPresent = stateFunction({
  signature: "name, devices=None, **kwargs",
  doc: "The volume group exists, and these devices are in it; other arguments are those of lvm.vgcreate.",
  async run(context, args) {
    const { name, devices: given, kwargs } = args;
    const group = `Volume Group ${str(name)}`;
    const devices = (Array.isArray(given) ? given : given === null ? [] : str(given).split(",")).map(str);
    if (await isThere(context, "vgdisplay", name, QUIET)) return await extend(context, name, devices);
    if (devices.length === 0) return outcome(name, false, `Failed to create ${group}`);
    if (context.test) return outcome(name, null, `${group} is set to be created`);
    const created = await context.call("lvm.vgcreate", [name, devices], kwargs);
    return await isThere(context, "vgdisplay", name)
      ? outcome(name, true, `Created ${group}`, { created })
      : outcome(name, false, `Failed to create ${group}`);
  },
});
