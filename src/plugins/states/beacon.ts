import { type Args, equal, fieldsOf, str, truthy } from "../../language/python/values.ts";
import { type StateContext, stateFunctions, type StateModule, type StateReturn } from "../../model/loader/states.ts";
import { givenOf } from "../modules/beacons.ts";

type Fields = Record<string, unknown>;

/** What a function of the execution module says. */
interface Answer {
  result?: unknown;
  comment?: unknown;
  changes?: Fields;
}

async function configured(context: StateContext, given: Fields): Promise<Fields> {
  return fieldsOf(await context.call("beacons.list", [], { ...given, return_yaml: false }));
}

/** Calls a function that changes something; in a dry run it only says what it would do. */
async function change(context: StateContext, fun: string, words: unknown[], given: Fields): Promise<Answer> {
  return await context.call(`beacons.${fun}`, words, context.test ? { ...given, test: true } : given) as Answer;
}

/** Lines of the comment, with what is said of saving. */
async function saved(context: StateContext, name: string, save: unknown, comment: string): Promise<string> {
  if (!truthy(save)) return comment;
  if (context.test) return `${comment}\nBeacon ${name} would be saved`;
  await context.call("beacons.save");
  return `${comment}\nBeacon ${name} saved`;
}

const failed = (name: string, { comment }: Answer): StateReturn => ({
  name,
  result: false,
  changes: {},
  comment: str(comment),
});

const switched = (fun: string, done: (name: string) => string, missing: (name: string) => string) =>
async (
  context: StateContext,
  args: Args,
): Promise<StateReturn> => {
  const [name, given] = [str(args.name), givenOf(args)];
  if (!Object.hasOwn(await configured(context, given), name)) {
    return { name, result: true, changes: {}, comment: missing(name) };
  }
  const said = await change(context, fun, [name], given);
  if (!truthy(said.result ?? false)) return failed(name, said);
  return { name, result: true, changes: {}, comment: context.test ? str(said.comment) : done(name) };
};

/** States of beacons: what a minion watches and tells its masters of. */
export const states: StateModule = {
  functions: stateFunctions({
    "present(name: str, save=False, **kwargs)": {
      doc: "The beacon is configured so.",
      async run(context, args) {
        const [name, given] = [args.name, givenOf(args)];
        const now = await configured(context, given);
        const data = Object.entries(given).map(([key, value]) => ({ [key]: value }));
        let changes: Fields = {};
        let comment: string;
        if (!Object.hasOwn(now, name)) {
          const said = await change(context, "add", [name, data], given);
          if (!truthy(said.result ?? false)) return failed(name, said);
          comment = context.test ? str(said.comment) : `Adding ${name} to beacons`;
        } else if (equal(data, now[name])) comment = `Job ${name} in correct state`;
        else {
          const said = await change(context, "modify", [name, data], given);
          if (!truthy(said.result ?? false)) return failed(name, said);
          changes = said.changes ?? {};
          comment = !context.test && said.changes !== undefined ? `Modifying ${name} in beacons` : str(said.comment);
        }
        return { name, result: true, changes, comment: await saved(context, name, args.save, comment) };
      },
    },
    "absent(name: str, save=False, **kwargs)": {
      doc: "The beacon is not configured.",
      async run(context, args) {
        const [name, given] = [args.name, givenOf(args)];
        let comment = `${name} not configured in beacons`;
        if (Object.hasOwn(await configured(context, given), name)) {
          const said = await change(context, "delete", [name], given);
          if (!truthy(said.result ?? false)) return failed(name, said);
          comment = context.test ? str(said.comment) : `Removed ${name} from beacons`;
        }
        return { name, result: true, changes: {}, comment: await saved(context, name, args.save, comment) };
      },
    },
    "enabled(name, **kwargs)": {
      doc: "The beacon is enabled.",
      run: switched(
        "enable_beacon",
        (name) => `Enabled ${name} from beacons`,
        (name) => `${name} not a configured beacon`,
      ),
    },
    "disabled(name, **kwargs)": {
      doc: "The beacon is disabled.",
      run: switched("disable_beacon", (name) => `Disabled beacon ${name}.`, (name) => `Job ${name} is not configured.`),
    },
  }),
};
