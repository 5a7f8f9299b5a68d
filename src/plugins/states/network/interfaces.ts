/** The state of an interface: `network.managed`. */
import { outcome, type StateContext, stateFunction, type StateReturn } from "../../../model/loader/states.ts";
import { equal, isMap, lookup, str, textsOf, truthy } from "../../../language/python/values.ts";
import { splitWords } from "../../../language/python/text.ts";
import { programPath, run } from "../../commands.ts";
import { callError, fails } from "../outcome.ts";
import { unifiedDiff } from "../../../language/python/difflib.ts";

/** How lines differ; they keep their ends, and stand a line apart, as Salt shows them. */
export const interfaceDifference = (old: unknown, now: unknown): string =>
  unifiedDiff(textsOf(old), textsOf(now), { lineEnd: "" }).join("\n");

type Keyword = Record<string, unknown>;

interface Wanted {
  name: unknown;
  kind: string;
  enabled: unknown;
  kwargs: Keyword;
  dry: boolean;
}

/** Notes in the return how lines changed. @returns true if they did, or would */
function compare(ret: StateReturn, what: string, of: unknown, old: unknown, now: unknown, dry: boolean): boolean {
  if (equal(old, now)) return false;
  const added = !truthy(old) && truthy(now);
  const key = what === "Interface" ? "interface" : "bond";
  if (dry) {
    ret.result = null;
    ret.comment = added
      ? `${what} ${str(of)} is set to be added.`
      : `${what} ${str(of)} is set to be updated:\n${interfaceDifference(old, now)}`;
    return true;
  }
  ret.comment = `${what} ${str(of)} ${added ? "added" : "updated"}.`;
  const addition = key === "interface" ? "Added network interface." : `Added bond ${str(of)}.`;
  ret.changes[key] = added ? addition : interfaceDifference(old, now);
  return true;
}

/** Whether the interface, or an address with such a label, is up. */
async function isUp(context: StateContext, name: unknown): Promise<unknown> {
  const interfaces = await context.call("network.interfaces");
  if (!isMap(interfaces)) return false;
  const own = lookup(interfaces, name);
  if (own !== undefined) return isMap(own) ? lookup(own, "up") : false;
  const entries = interfaces instanceof Map ? [...interfaces] : Object.entries(interfaces);
  return entries.some(([iface, facts]) => {
    if (!isMap(facts)) return false;
    const addresses = (kind: string): unknown[] => {
      const list = lookup(facts, kind);
      return Array.isArray(list) ? list : [];
    };
    const loopback = iface === "lo" ? ["inet", "inet6"].map(addresses).filter((list) => list.length > 1).flat() : [];
    return [...addresses("secondary"), ...loopback].some((one) => isMap(one) && lookup(one, "label") === name);
  });
}

/** Brings the interface up or down. */
async function switchOver(
  context: StateContext,
  ret: StateReturn,
  { name, kind, enabled, kwargs }: Wanted,
  up: unknown,
) {
  if ("noifupdown" in kwargs) return;
  const call = (fun: string) => context.call(`ip.${fun}`, [name, kind]);
  if (!truthy(enabled)) {
    if (!truthy(up)) return;
    await call("down");
    ret.changes.status = `Interface ${str(name)} down`;
  } else if (!truthy(up)) {
    await call("up");
    ret.changes.status = `Interface ${str(name)} is up`;
  } else if (Object.keys(ret.changes).length > 0) {
    await call("down");
    await call("up");
    ret.changes.status = `Interface ${str(name)} restart to validate`;
  }
}

/** Gives a bonded interface the slaves that it lacks. */
async function enslave(context: StateContext, ret: StateReturn, { name, kwargs }: Wanted): Promise<void> {
  if (!truthy(kwargs.slaves ?? "") || "noifupdown" in kwargs) return;
  const file = `/sys/class/net/${str(name)}/bonding/slaves`;
  const { fs } = context.runtime;
  const there = fs.stat(file) === undefined ? [] : splitWords(fs.readText(file));
  const wanted = Array.isArray(kwargs.slaves) ? kwargs.slaves.map(str) : splitWords(str(kwargs.slaves));
  const missing = wanted.filter((slave) => !there.includes(slave));
  if (missing.length === 0 || context.grains.os_family === "Suse") return;
  const program = programPath(context, "ifenslave");
  if (program === undefined) context.log.error("Command 'ifenslave' not found");
  else await run(context, [program, str(name), ...missing]);
  ret.changes.enslave = `Added slaves '${missing.join(" ")}' to master '${str(name)}'`;
}

/** Writes what is to be written. @returns whether that changed anything */
async function build(context: StateContext, ret: StateReturn, wanted: Wanted): Promise<boolean> {
  const { name, kind, enabled, kwargs, dry } = wanted;
  const old = await context.call("ip.get_interface", [name]);
  const now = await context.call("ip.build_interface", [name, kind, enabled], kwargs);
  let changed = compare(ret, "Interface", name, old, now, dry);
  if (kind !== "bond") return changed;
  const oldBond = await context.call("ip.get_bond", [name]);
  const bond = await context.call("ip.build_bond", [name], kwargs);
  changed = compare(ret, "Bond interface", name, oldBond, bond, dry) || changed;
  return changed;
}

/** A range of addresses, in the files of Red Hat's family. */
async function restartRange(
  context: StateContext,
  name: unknown,
  changes: Keyword,
  changed: boolean,
): Promise<StateReturn> {
  if (!changed) return outcome(name, true, "no change, passing it", changes);
  const restarted = truthy(await context.call("service.restart", ["network"]));
  return outcome(name, restarted, "network restarted for change of ranged interfaces", changes);
}

export const networkManaged = stateFunction({
  signature: "name, enabled=True, **kwargs",
  doc:
    "The interface is configured so, and is up, or with `enabled: False` down. `type` is eth, bond, bridge, slave, " +
    "vlan, pppoe or source.",
  async run(context, args) {
    const { name, enabled } = args;
    const { type = "eth", addr, ...others } = args.kwargs;
    const kwargs: Keyword = { ...others, test: others.test ?? context.test };
    const ret = outcome(name, true, `Interface ${str(name)} is up to date.`);
    if (addr !== undefined) {
      const fate = "hwaddr" in kwargs
        ? "it has been ignored in favor of 'hwaddr'."
        : "its value has been assigned to 'hwaddr' instead.";
      kwargs.hwaddr ??= addr;
      ret.warnings = [
        `'addr' is not a valid argument name, ${fate} Update your SLS file to get rid of this warning.`,
      ];
    }
    const wanted: Wanted = { name, kind: str(type), enabled, kwargs, dry: truthy(kwargs.test) };
    const failed = fails("", callError, ret);
    const changed = await build(context, ret, wanted).catch(failed);
    if (wanted.kind === "source" || wanted.dry) return ret;
    let up: unknown;
    try {
      if (str(name).includes("range")) return await restartRange(context, name, ret.changes, changed);
      up = await isUp(context, name);
      await switchOver(context, ret, wanted, up);
      if (wanted.kind === "bond") await enslave(context, ret, wanted);
    } catch (error) {
      failed(error);
    }
    if (!truthy(enabled) || !truthy(up)) await context.call("saltutil.refresh_grains");
    return ret;
  },
});
