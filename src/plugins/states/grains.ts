import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../model/loader/states.ts";
import { type Args, equal, str, truthy } from "../../language/python/values.ts";
import { DEFAULT_DELIMITER, traverse } from "../../language/python/traverse.ts";

/** The path of a grain with colons, whatever separated its keys. */
function pathOf({ name, delimiter }: Args): string {
  return str(delimiter) === "" ? str(name) : str(name).replaceAll(str(delimiter), DEFAULT_DELIMITER);
}

/** The value of a grain; undefined if there is none. */
const grainAt = (context: StateContext, path: string): unknown => traverse(context.grains, path);

const holds = (list: readonly unknown[], value: unknown) => list.some((item) => equal(item, value));

async function set(
  context: StateContext,
  path: string,
  value: unknown,
  options: Record<string, unknown>,
): Promise<StateReturn> {
  return { ...await context.call("grains.set", [path, value], options) as StateReturn, name: path };
}

/** Grains that an operator sets. */
export const states: StateModule = {
  functions: stateFunctions({
    "present(name, value, delimiter=':', force=False)": {
      doc: "The grain has that value; with `force` also where a map or a list is.",
      async run(context, args) {
        const path = pathOf(args);
        const before = grainAt(context, path);
        if (before !== undefined && equal(before, args.value)) return outcome(path, true, "Grain is already set");
        if (context.test) {
          return before === undefined
            ? outcome(path, null, `Grain ${path} is set to be added`, { new: path })
            : outcome(path, null, `Grain ${path} is set to be changed`, { changed: { [path]: args.value } });
        }
        const ret = await set(context, path, args.value, { force: args.force });
        if (ret.result === true && Object.keys(ret.changes).length > 0) {
          ret.comment = `Set grain ${path} to ${str(args.value)}`;
        }
        return ret;
      },
    },
    "exists(name, delimiter=':')": {
      doc: "There is such a grain.",
      run(context, args) {
        const path = pathOf(args);
        return grainAt(context, path) === undefined
          ? outcome(path, false, "Grain does not exist")
          : outcome(path, true, "Grain exists");
      },
    },
    "list_present(name, value, delimiter=':')": {
      doc: "The grain is a list that has the value, or all values of a list.",
      async run(context, args) {
        const path = pathOf(args);
        const { value } = args;
        const grain = grainAt(context, path) ?? "";
        const wanted: unknown[] = Array.isArray(value) ? value : [value];
        if (truthy(grain)) {
          if (!Array.isArray(grain)) return outcome(path, false, `Grain ${path} is not a valid list`);
          if (wanted.every((item) => holds(grain, item))) {
            return outcome(path, true, `Value ${str(value)} is already in grain ${path}`);
          }
          if (context.test) {
            return outcome(path, null, `Value ${str(value)} is set to be appended to grain ${path}`, { new: grain });
          }
        }
        if (context.test) return outcome(path, null, `Grain ${path} is set to be added`, { new: grain });
        const stored = await context.call("grains.append", [path, value]);
        const after = grainAt(context, path);
        if (!Array.isArray(after) || !wanted.every((item) => holds(after, item))) {
          return outcome(path, false, `Failed append value ${str(value)} to grain ${path}`);
        }
        return outcome(path, true, `Append value ${str(value)} to grain ${path}`, { new: stored });
      },
    },
    "list_absent(name, value, delimiter=':')": {
      doc: "The grain is a list without the value, or without all values of a list.",
      async run(context, args) {
        const path = pathOf(args);
        const grain = grainAt(context, path);
        if (!truthy(grain)) return outcome(path, true, `Grain ${path} does not exist`);
        if (!Array.isArray(grain)) return outcome(path, false, `Grain ${path} is not a valid list`);
        const comments: string[] = [];
        const deleted: unknown[] = [];
        for (const value of Array.isArray(args.value) ? args.value : [args.value]) {
          if (!holds(grain, value)) {
            comments.push(`Value ${str(value)} is absent from grain ${path}`);
            continue;
          }
          deleted.push(value);
          if (context.test) comments.push(`Value ${str(value)} in grain ${path} is set to be deleted`);
          else {
            await context.call("grains.remove", [path, value]);
            comments.push(`Value ${str(value)} was deleted from grain ${path}`);
          }
        }
        const result = context.test && deleted.length > 0 ? null : true;
        return outcome(path, result, comments.join("\n"), deleted.length > 0 ? { deleted } : {});
      },
    },
    "absent(name, destructive=False, delimiter=':', force=False)": {
      doc: "The grain has no value; with `destructive` there is none of that name.",
      async run(context, args) {
        const path = pathOf(args);
        const { destructive, force } = args;
        const grain = grainAt(context, path);
        if (grain === undefined) return outcome(path, true, `Grain ${path} does not exist`);
        if (context.test) {
          if (destructive === true) return outcome(path, null, `Grain ${path} is set to be deleted`, { deleted: path });
          if (grain === null) return outcome(path, null, "");
          return outcome(path, null, `Value for grain ${path} is set to be deleted (None)`, {
            grain: path,
            value: null,
          });
        }
        const ret = await set(context, path, null, { destructive, force });
        if (ret.result !== true) return ret;
        if (destructive === true) return { ...ret, comment: `Grain ${path} was deleted`, changes: { deleted: path } };
        if (grain === null) return ret;
        return { ...ret, comment: `Value for grain ${path} was set to None`, changes: { grain: path, value: null } };
      },
    },
    "append(name, value, convert=False, delimiter=':')": {
      doc: "The grain, which must exist, is a list that has the value; `convert` makes a list of another value.",
      async run(context, args) {
        const path = pathOf(args);
        const { value, convert } = args;
        const grain = grainAt(context, path);
        if (!truthy(grain) && !Object.hasOwn(context.grains, path)) {
          return outcome(path, false, `Grain ${path} does not exist`);
        }
        const isList = Array.isArray(grain);
        if (!isList && convert !== true) return outcome(path, false, `Grain ${path} is not a valid list`);
        if (isList && holds(grain, value)) {
          return outcome(path, true, `Value ${str(value)} is already in the list for grain ${path}`);
        }
        if (context.test) {
          const comment = isList
            ? `Value ${str(value)} in grain ${path} is set to be added`
            : `Grain ${path} is set to be converted to list and value ${str(value)} will be added`;
          return outcome(path, null, comment, { added: value });
        }
        if (isList) await context.call("grains.append", [path, value]);
        else await context.call("grains.setval", [path, grain === null ? [value] : [grain, value]]);
        return outcome(path, true, `Value ${str(value)} was added to grain ${path}`, { added: value });
      },
    },
  }),
};
