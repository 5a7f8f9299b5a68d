import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../model/loader/states.ts";
import { type Args, isMap, lookup, repr, sorted, str, truthy } from "../../language/python/values.ts";
import { programPath } from "../commands.ts";

interface Devices {
  missing: string[];
  /** Those that are in no array. */
  fresh: string[];
  /** Those that are in an array, by its id. */
  members: Map<string, string[]>;
}

async function look(context: StateContext, devices: readonly string[]): Promise<Devices> {
  const found: Devices = { missing: [], fresh: [], members: new Map() };
  for (const device of devices) {
    if (device === "missing" || !truthy(await context.call("file.access", [device, "f"]))) {
      found.missing.push(device);
      continue;
    }
    const known = await context.call("raid.examine", [device], { quiet: true });
    const id = isMap(known) ? lookup(known, "MD_UUID") : undefined;
    if (id === undefined) found.fresh.push(device);
    else found.members.set(str(id), [...found.members.get(str(id)) ?? [], device]);
  }
  return found;
}

const arrayOf = async (context: StateContext, name: unknown): Promise<unknown> =>
  lookup(await context.call("raid.list") as Record<string, unknown>, name);

/** What is to be done for an array that is not there. */
interface Plan {
  verb: "assembled" | "created";
  run(more: Record<string, unknown>): Promise<unknown>;
}

function planFor(context: StateContext, args: Args, { missing, fresh }: Devices, members: string[]): Plan {
  const kwargs = args.kwargs as Record<string, unknown>;
  if (members.length > 0) {
    return {
      verb: "assembled",
      run: (more) => context.call("raid.assemble", [args.name, members], { ...more, ...kwargs }),
    };
  }
  const devices = [...fresh, ...missing.map(() => "missing")];
  return {
    verb: "created",
    run: (more) => context.call("raid.create", [args.name, args.level, devices], { ...more, ...kwargs }),
  };
}

async function dry(name: unknown, found: Devices, plan: Plan | undefined): Promise<StateReturn> {
  const { fresh, missing } = found;
  let result: boolean | null = true;
  let comment = `Raid ${str(name)} already present.`;
  if (plan !== undefined) {
    comment = `Raid will be ${plan.verb} with: ${str(await plan.run({ test_mode: true }))}`;
    result = null;
  }
  if (plan?.verb !== "created" && fresh.length > 0) {
    comment += ` New devices will be added: ${repr(fresh)}`;
    result = null;
  }
  if (missing.length > 0) comment += ` Missing devices: ${repr(missing)}`;
  return outcome(name, result, comment);
}

async function carryOut(context: StateContext, name: unknown, found: Devices, plan: Plan | undefined) {
  const { fresh, missing } = found;
  let result = true;
  let changes: Record<string, unknown> = {};
  let comment = `Raid ${str(name)} already present.`;
  if (plan !== undefined) {
    await plan.run({});
    const made = await arrayOf(context, name);
    result = truthy(made);
    comment = result ? `Raid ${str(name)} ${plan.verb}.` : `Raid ${str(name)} failed to be ${plan.verb}.`;
    if (result) {
      changes = { ...made as object };
      await context.call("raid.save_config");
    }
  }
  if (plan?.verb !== "created" && fresh.length > 0 && result) {
    for (const device of fresh) {
      const added = truthy(await context.call("raid.add", [name, device]));
      comment += added
        ? ` Added new device ${device} to ${str(name)}.\n`
        : ` Unable to add ${device} to ${str(name)}.\n`;
      result &&= added;
    }
    if (result) changes.added = fresh;
  }
  if (missing.length > 0) comment += ` Missing devices: ${repr(missing)}`;
  return outcome(name, result, comment, changes);
}

/** Arrays of disks in software, with mdadm. */
export const states: StateModule = {
  virtual: (context) =>
    programPath(context, "mdadm") === undefined ? { unavailable: "Unable to locate command: mdadm" } : true,
  functions: stateFunctions({
    "present(name, level, devices, **kwargs)": {
      doc:
        "The array exists on these devices: it is made, or started if they are in one. Other arguments are options of mdadm.",
      async run(context, args) {
        const { name } = args;
        const now = await arrayOf(context, name);
        const found = await look(context, (args.devices as unknown[]).map(str));
        const ids = [...found.members.keys()];
        if (ids.length > 1) {
          const comment = `Devices are a mix of RAID constituents with multiple MD_UUIDs: ${repr(sorted(ids))}.`;
          return outcome(name, false, comment);
        }
        const own = isMap(now) ? str(lookup(now, "uuid")) : undefined;
        if (own !== undefined && ids.length === 1 && own !== ids[0]) {
          return outcome(name, false, `Devices MD_UUIDs: ${ids[0]} differs from present RAID uuid ${own}.`);
        }
        const members = ids.length === 1 ? found.members.get(ids[0]!)! : [];
        if (!truthy(now) && members.length === 0 && found.fresh.length === 0) {
          return outcome(name, false, `All devices are missing: ${repr(found.missing)}.`);
        }
        const plan = truthy(now) ? undefined : planFor(context, args, found, members);
        return context.test ? await dry(name, found, plan) : await carryOut(context, name, found, plan);
      },
    },
    "absent(name)": {
      doc: "The array does not exist.",
      async run(context, { name }) {
        if (await arrayOf(context, name) === undefined) return outcome(name, true, `Raid ${str(name)} already absent`);
        if (context.test) return outcome(name, null, `Raid ${str(name)} is set to be destroyed`);
        return truthy(await context.call("raid.destroy", [name]))
          ? outcome(name, true, `Raid ${str(name)} has been destroyed`)
          : outcome(name, false, `Raid ${str(name)} failed to be destroyed`);
      },
    },
  }),
};
