import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { entriesOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { deepCopy } from "../../language/python/copy.ts";
import { update } from "../../language/python/update.ts";
import { parseIpTarget } from "../../model/target/ipcidr.ts";
import { matchMinion } from "../../model/target/match.ts";
import type { TargetType } from "../../model/target/target.ts";
import { loadDatastore } from "./data.ts";
import { pythonError } from "../python_errors.ts";

/** The ways to match that a table of `filter_by` or `search_by` may be read by. */
const TYPES: readonly string[] = [
  "glob",
  "pcre",
  "list",
  "grain",
  "grain_pcre",
  "pillar",
  "pillar_pcre",
  "ipcidr",
  "data",
  "compound",
] satisfies TargetType[];

/** True if an expression means this minion, or the one of another id with the same grains and pillar. */
function matches(context: JobContext, type: TargetType, tgt: unknown, args: Record<string, unknown> = {}): boolean {
  const { minion_id: id, delimiter } = args;
  const { opts, grains, pillar } = context;
  return matchMinion(
    { tgt, tgt_type: type, ...(delimiter === undefined ? {} : { delimiter: str(delimiter) }) },
    {
      id: str(id ?? opts.id ?? grains.id ?? ""),
      grains,
      pillar,
      ...(type === "data" ? { datastore: Object.fromEntries(loadDatastore(context)) } : {}),
      ...(isMap(opts.nodegroups) ? { nodegroups: Object.fromEntries(entriesOf(opts.nodegroups)) } : {}),
    },
  );
}

/** What matches by a type of a table: that, or a failure as Python has it for a name it does not know. */
function typeOf(type: unknown): TargetType {
  const name = str(type);
  if (!TYPES.includes(name)) throw pythonError("KeyError", `'${name}'`);
  return name as TargetType;
}

/** Entries of a table; the fallback is one of them, and tried like the others. */
function entries(lookupTable: unknown): [unknown, unknown][] {
  return isMap(lookupTable) ? entriesOf(lookupTable) : [];
}

function filterBy(context: JobContext, args: Record<string, unknown>): unknown {
  const { lookup: table, merge } = args;
  const type = typeOf(args.tgt_type);
  for (const [key, value] of entries(table)) {
    if (!matches(context, type, key, args)) continue;
    if (!truthy(merge)) return value;
    if (!isMap(merge)) throw pythonError("SaltException", "filter_by merge argument must be a dictionary.");
    if (value === null) return merge;
    if (!isMap(value)) throw pythonError("TypeError", "Cannot update using non-dict types in dictupdate.update()");
    // Into the table itself, as templates know it from Salt.
    return update(value, deepCopy(merge), { mergeLists: truthy(args.merge_lists) });
  }
  return (isMap(table) ? lookup(table, args.default) : undefined) ?? null;
}

const ID = "tgt, minion_id=None";
const PATH = "tgt, delimiter=':'";

const by = (type: TargetType, signature: string, what: string, example: string) =>
  executionFunction({
    inline: true,
    signature,
    doc: `True if ${what}.\n\n    salt '*' match.${type} '${example}'`,
    run: (context, args) => matches(context, type, args.tgt, args),
  });

/** Whether targets mean this minion. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    glob: by("glob", ID, "a pattern of the shell matches the id of the minion, or another id", "web*"),
    pcre: by("pcre", ID, "an expression matches the id of the minion, or another id", "web\\d+"),
    list: by("list", ID, "a list, or a text with commas, contains the id of the minion, or another id", "web1,web2"),
    compound: by("compound", ID, "a compound target means the minion", "L@web1,web2 and G@os:Debian"),
    grain: by("grain", PATH, "a grain has a value that a pattern of the shell matches", "os:Deb*"),
    grain_pcre: by("grain_pcre", PATH, "a grain has a value that an expression matches", "os:Deb.*"),
    pillar: by("pillar", PATH, "the pillar has a value that a pattern of the shell matches", "role:web*"),
    pillar_pcre: by("pillar_pcre", PATH, "the pillar has a value that an expression matches", "role:web.*"),
    "ipcidr(tgt)": {
      inline: true,
      doc: "True if the minion has an address in a network; an empty list if the network is invalid.\n\n" +
        "    salt '*' match.ipcidr 10.0.0.0/8",
      run: (context, { tgt }) => parseIpTarget(str(tgt)) === undefined ? [] : matches(context, "ipcidr", tgt),
    },
    data: by("data", "tgt", "the data store has a value that a pattern of the shell matches", "spam:eggs"),
    "filter_by(lookup, tgt_type='compound', minion_id=None, merge=None, merge_lists=False, default='default')": {
      inline: true,
      doc: "The value of the first target in a map that matches the minion. `merge` is merged into it.\n\n" +
        "    salt '*' match.filter_by '{web*: www, default: none}'",
      run: filterBy,
    },
    "search_by(lookup, tgt_type='compound', minion_id=None)": {
      inline: true,
      doc: "The keys of a map whose lists of targets match the minion; null if there are none.\n\n" +
        `    salt '*' match.search_by '{web: ["web*"], db: ["db*"]}'`,
      run(context, args): unknown[] | null {
        const type = typeOf(args.tgt_type);
        const found = entries(args.lookup).flatMap(([key, targets]) =>
          (Array.isArray(targets) ? targets : [...str(targets)]).filter((target) =>
            matches(context, type, target, args)
          )
            .map(() => key)
        );
        return found.length === 0 ? null : found;
      },
    },
    /** A value after an expression, for the first that means this minion; the last for none. */
    "ifelse(*args, **kwargs)": {
      inline: true,
      doc: "The value after the first target that matches the minion, or the last value.\n\n" +
        "    salt '*' match.ifelse 'web*' www 'db*' data nothing",
      run(context, { args, kwargs }): unknown {
        const values = args;
        if (values.length % 2 === 0) {
          throw pythonError("SaltException", "The ifelse function must have an odd number of arguments!");
        }
        const table = new Map<unknown, unknown>();
        for (let at = 0; at + 1 < values.length; at += 2) {
          const key = values[at];
          // A condition that was decided before: every minion, or none.
          if (key !== false) table.set(key === true ? "*" : key, values[at + 1]);
        }
        const fallback = Symbol("otherwise");
        table.set(fallback, values.at(-1));
        const options = { tgt_type: "compound", ...kwargs };
        const found = filterBy(context, {
          ...options,
          lookup: new Map([...table].filter(([key]) => key !== fallback)),
          default: fallback,
        });
        return found ?? values.at(-1);
      },
    },
  }),
};
