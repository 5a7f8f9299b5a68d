import { withSaltDefaults } from "../../model/config/salt_defaults.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { entriesOf, isMap, str, truthy } from "../../language/python/values.ts";
import { compileGlob } from "../../language/python/glob.ts";
import { traverse } from "../../language/python/traverse.ts";
import { update, updated } from "../../language/python/update.ts";

/** What options mean that no configuration needs to name. */
const DEFAULTS: Record<string, unknown> = {
  "test.foo": "unconfigured",
  "hosts.file": "/etc/hosts",
  "aliases.file": "/etc/aliases",
  "ca.cert_base_path": "/etc/pki",
};

type Omit = Record<string, unknown>;

/** The options of a minion have its grains and its pillar among them, as `grains:os` and `pillar:role`. */
const optionsOf = ({ opts, grains, pillar }: JobContext) => ({ ...withSaltDefaults(opts), grains, pillar });

/** Where a value is looked for, the first hit first. */
function places(context: JobContext, omit: Omit): unknown[] {
  const all = truthy(omit.omit_all);
  return [
    ...(all || truthy(omit.omit_opts) ? [] : [optionsOf(context)]),
    ...(all || truthy(omit.omit_grains) ? [] : [context.grains]),
    ...(all || truthy(omit.omit_pillar) ? [] : [context.pillar]),
    ...(all || truthy(omit.omit_master) ? [] : [context.pillar.master]),
  ];
}

/**
 * The value that an `sdb://` address stands for. Where a master renders a minion's pillar, the grains are what the minion says: an
 * address in them must not open the profiles of the master.
 */
function resolved(context: JobContext, value: unknown): unknown {
  const isAddress = typeof value === "string" && value.startsWith("sdb://");
  return isAddress && context.opts.__role === "minion" ? fetched(context, value) : value;
}

async function fetched(context: JobContext, address: string): Promise<unknown> {
  const [{ Sdb }, { SDB }] = await Promise.all([import("../../model/loader/sdb.ts"), import("../sdb/mod.ts")]);
  return await new Sdb(context, SDB).get(address);
}

/** The value under a path once all places are laid over each other, the first over the others. No place is left out, as in Salt. */
function merged(context: JobContext, { key, merge: strategy }: Record<string, unknown>, delimiter: string): unknown {
  if (strategy !== "recurse" && strategy !== "overwrite") {
    context.log.warning("unsupported merge strategy: recurse is used instead", { strategy: str(strategy) });
  }
  const [first, ...rest] = Array.isArray(key) ? key : str(key).split(delimiter);
  let whole: unknown;
  for (const place of [DEFAULTS, ...places(context, {}).toReversed()]) {
    const value = traverse(place, [first]);
    if (value === undefined) continue;
    whole = strategy !== "overwrite" && isMap(whole) && isMap(value) ? updated(whole, value) : value;
  }
  return traverse(whole, rest);
}

const entries = (map: unknown): [string, unknown][] =>
  isMap(map) ? entriesOf(map).map(([key, value]) => [str(key), value]) : [];

function option(context: JobContext, args: Record<string, unknown>): unknown {
  const name = str(args.value);
  const searched = [...places(context, args), ...(truthy(args.omit_all) ? [] : [DEFAULTS])];
  if (truthy(args.wildcard)) {
    const matches = compileGlob(name);
    const found = searched.toReversed().flatMap((place) => entries(place).filter(([key]) => matches(key)));
    return Object.fromEntries(found);
  }
  for (const place of searched) {
    const value = traverse(place, name, "");
    if (value !== undefined) return value;
  }
  return args.default ?? "";
}

const PROTOCOLS = ["salt", "http", "https", "ftp", "swift", "s3", "file"];

/** The options of the minion, and what else configures it. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    get: executionFunction({
      signature: `key, default='', delimiter: str=':', merge=None, omit_opts=False, omit_pillar=False,
        omit_master=False, omit_grains=False`,
      inline: true,
      doc:
        "The first value under a name or path in the options, the grains, the pillar, the options of the master in " +
        "the pillar, and built-in defaults. `merge` lays maps from all of these over each other: recurse or " +
        "overwrite.\n\n    salt '*' config.get pkg:apache",
      run(context, args): unknown {
        const { key, default: fallback, merge: strategy } = args;
        const delimiter = args.delimiter;
        if (strategy !== null) return resolved(context, merged(context, args, delimiter)) ?? fallback;
        for (const place of [...places(context, args), DEFAULTS]) {
          const value = traverse(place, key, delimiter);
          if (value !== undefined) return resolved(context, value);
        }
        return fallback;
      },
    }),
    option: executionFunction({
      inline: true,
      signature: `value, default=None, omit_opts=False, omit_grains=False, omit_pillar=False, omit_master=False,
        omit_all=False, wildcard=False`,
      doc:
        "The value under a name, taken as it is, from the same places as config.get; with `wildcard`, a map of all " +
        "names that a glob matches.\n\n    salt '*' config.option redis.host",
      run: option,
    }),
    /** Joins lists and merges maps; of anything else the first value counts. As in Salt, maps are merged into the last of them. */
    "merge(value, default='', omit_opts=False, omit_master=False, omit_pillar=False)": {
      inline: true,
      doc: "The values of a name in the options and the pillar: lists joined, maps merged.\n\n" +
        "    salt '*' config.merge schedule",
      run(context, args): unknown {
        const { value, default: fallback } = args;
        const all = [
          [args.omit_opts, optionsOf(context)],
          [args.omit_master, context.pillar.master],
          [args.omit_pillar, context.pillar],
        ] as const;
        let whole: unknown = null;
        for (const [omit, place] of all) {
          if (typeof whole === "string") return whole;
          const found = truthy(omit) ? undefined : traverse(place, [value]);
          if (found === undefined) continue;
          if (whole === null) whole = found;
          else if (isMap(whole) && isMap(found)) whole = update(found, whole, { recursive: false });
          else if (Array.isArray(whole) && Array.isArray(found)) whole = [...whole, ...found];
        }
        return whole ?? traverse(DEFAULTS, [value]) ?? fallback;
      },
    },
    "items()": {
      inline: true,
      doc: "Every option.\n\n    salt '*' config.items",
      run: ({ opts }) => withSaltDefaults(opts),
    },
    "dot_vals(value: str)": {
      inline: true,
      doc: "The options whose names begin with a prefix and a dot.\n\n    salt '*' config.dot_vals host",
      run(context, { value }) {
        const prefix = `${value}.`;
        const found = [context.pillar.master, context.opts].flatMap(entries).filter(([key]) => key.startsWith(prefix));
        return Object.fromEntries(found);
      },
    },
    "backup_mode(backup='')": {
      inline: true,
      doc: "How files are backed up before a change: the argument, or else the option.\n\n" +
        "    salt '*' config.backup_mode",
      run: (context, { backup }) => truthy(backup) ? backup : option(context, { value: "backup_mode" }),
    },
    /** A mode as text of at least four digits: `644` is `0644`. */
    "manage_mode(mode)": {
      inline: true,
      doc: "A file mode in the form in which modules compare modes.\n\n    salt '*' config.manage_mode 644",
      run(_, { mode }): unknown {
        if (mode === null || mode === undefined) return null;
        const text = str(mode).replace(/^0o/i, "0").replace(/^["']+|["']+$/g, "");
        if (!/^\d+$/.test(text)) return text;
        return `0${text.replace(/^0+/, "").padStart(3, "0")}`.replace(/^0(?=\d{4})/, "");
      },
    },
    "valid_fileproto(uri: str)": {
      inline: true,
      doc:
        "True if files can be fetched with the scheme of the address.\n\n    salt '*' config.valid_fileproto salt://x",
      run: (_context, { uri }) => PROTOCOLS.includes(/^([^:]*):\/\//.exec(uri)?.[1] ?? ""),
    },
  }),
};
