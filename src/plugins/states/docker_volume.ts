import { messageOf } from "../../base/errors.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../model/loader/states.ts";
import { type Args, entriesOf, isMap, repr, str } from "../../language/python/values.ts";
import { fails } from "./outcome.ts";

type Volume = { Name: string; Driver: string };

async function volumeOf(context: StateContext, name: unknown): Promise<Volume | undefined> {
  const { Volumes: all } = await context.call("docker.volumes") as { Volumes: Volume[] | null };
  return (all ?? []).find((one) => one.Name === name);
}

/** A map, or a list of maps with one key each, as a map. */
const optionsOf = (value: unknown): unknown =>
  Array.isArray(value) && value.every((one) => isMap(one) && entriesOf(one).length === 1)
    ? Object.fromEntries(value.flatMap((one) => entriesOf(one)))
    : value;

async function create(
  context: StateContext,
  args: Args,
  changes: Record<string, unknown>,
): Promise<StateReturn> {
  const { name, driver } = args;
  const options = { driver, driver_opts: optionsOf(args.driver_opts) };
  const created = await context.call("docker.create_volume", [name], options).catch(
    fails(`Failed to create volume '${str(name)}': `, messageOf, { changes }),
  );
  return outcome(name, true, "", { ...changes, created });
}

async function remove(context: StateContext, name: unknown): Promise<StateReturn> {
  const removed = await context.call("docker.remove_volume", [name]).catch(
    fails(`Failed to remove volume '${str(name)}': `, messageOf),
  );
  return outcome(name, true, "", { removed });
}

export const states: StateModule = {
  functions: stateFunctions({
    "present(name, driver=None, driver_opts=None, force: bool=False)": {
      doc: "There is a volume of that name and driver.",
      async run(context, args) {
        const { name, driver, force } = args;
        const volume = await volumeOf(context, name);
        if (volume === undefined) {
          return context.test
            ? outcome(name, null, `The volume '${str(name)}' will be created`)
            : await create(context, args, {});
        }
        if (driver === null || volume.Driver === driver) {
          return outcome(name, true, `Volume '${str(name)}' already exists.`);
        }
        if (!force) {
          const comment =
            `Driver for existing volume '${str(name)}' ('${volume.Driver}') does not match specified driver ` +
            `('${str(driver)}') and force is False`;
          return outcome(name, context.test ? null : false, comment);
        }
        if (context.test) {
          const comment = `The volume '${str(name)}' will be replaced with a new one using the driver '${
            repr(volume)
          }'`;
          return outcome(name, null, comment);
        }
        return await create(context, args, (await remove(context, name)).changes);
      },
    },
    "absent(name, driver=None)": {
      doc: "There is no volume of that name.",
      async run(context, { name }) {
        if (await volumeOf(context, name) === undefined) {
          return outcome(name, true, `Volume '${str(name)}' already absent`);
        }
        if (context.test) return outcome(name, null, `Volume '${str(name)}' will be removed`);
        return await remove(context, name);
      },
    },
  }),
};
