import { joinPath } from "../../base/paths.ts";
import type { RunnerContext, RunnerModule } from "../../model/loader/family.ts";
import { CommandExecutionError, runnerFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { str, truthy } from "../../language/python/values.ts";
import { decode, encode } from "../../protocol/wire/msgpack.ts";

type Values = Record<string, unknown>;

/** What has locks of repositories in real Salt. */
const ROLES: readonly string[] = ["gitfs", "git_pillar", "winrepo"];

const TARGET = "tgt=None, tgt_type='glob'";

/** Ids of a target; all that the master keeps something of for none. */
function idsOf(context: RunnerContext, tgt: unknown, tgt_type: unknown): string[] {
  if (tgt === null || tgt === undefined) return context.minions.ids();
  return context.expand({ tgt, tgt_type: str(tgt_type ?? "glob") });
}

/** Id → the cached data of the minion; an empty map if there is none. */
function gather(context: RunnerContext, args: Values, find: (id: string) => unknown): Values {
  return Object.fromEntries(idsOf(context, args.tgt, args.tgt_type).map((id) => [id, find(id) ?? {}]));
}

/** Of thousands of minions a caller may want a few fields: all grains take tens of megabytes. */
function picked(grains: Values | undefined, fields: readonly string[] | undefined): Values | undefined {
  if (grains === undefined || fields === undefined) return grains;
  return Object.fromEntries(
    fields.filter((name) => Object.hasOwn(grains, name)).map((name) => [name, grains[name]]),
  );
}

interface Clearing {
  grains?: boolean;
  pillar?: boolean;
  mine?: boolean;
  mineFunction?: string;
}

/** False without a target: leaving it out must not clear everything. */
function clear(context: RunnerContext, args: Values, what: Clearing): boolean {
  if (args.tgt === null || args.tgt === undefined) return false;
  for (const id of idsOf(context, args.tgt, args.tgt_type)) {
    const data = context.minions.data(id);
    if (data !== undefined && (what.grains || what.pillar)) {
      context.minions.saveData(id, {
        grains: what.grains ? {} : data.grains,
        pillar: what.pillar ? {} : data.pillar,
      });
    }
    if (what.mine) context.minions.flushMine(id);
    else if (what.mineFunction !== undefined) {
      const { [what.mineFunction]: _gone, ...rest } = context.minions.mine(id) ?? {};
      if (context.minions.mine(id) !== undefined) context.minions.saveMine(id, rest);
    }
  }
  return true;
}

/** A value in the mine without what says who may read it. */
function plain(entry: unknown): unknown {
  const wrapped = typeof entry === "object" && entry !== null && "__saltmine_acl__" in entry;
  return wrapped ? (entry as Values).__data__ : entry;
}

/** A part of a path below the cache that leads nowhere else. */
function safe(part: unknown, what: string): string {
  const text = str(part);
  const pieces = text.split("/");
  if (text !== "" && !text.includes("\0") && pieces.every((piece) => piece !== "" && piece !== "." && piece !== "..")) {
    return text;
  }
  throw new SaltInvocationError(`The ${what} '${text}' is not a relative path without '..': it cannot be in the cache`);
}

/** The directory of a bank, as Salt's `localfs` cache has it. */
function bankOf(context: RunnerContext, bank: unknown, cachedir: unknown): string {
  const root = typeof cachedir === "string" && cachedir !== "" ? cachedir : str(context.opts.cachedir);
  return joinPath(root, safe(bank, "bank"));
}

export const runner: RunnerModule = {
  functions: runnerFunctions({
    "grains(tgt, tgt_type='glob', **kwargs)": {
      doc: "The grains of minions as the master saw them last; with `fields` only those.\n\n" +
        "    salt-run cache.grains 'web*'\n" +
        "    salt-run cache.grains '*' fields='[os, saltversion]'",
      run: (context, args) => {
        const { fields } = args.kwargs;
        const only = Array.isArray(fields) ? fields.map(str) : undefined;
        return gather(context, args, (id) => picked(context.minions.data(id)?.grains, only));
      },
    },
    [`pillar(${TARGET}, **kwargs)` as const]: {
      doc: "The pillar of minions as the master compiled it last.\n\n    salt-run cache.pillar 'web*'",
      run: (context, args) => gather(context, args, (id) => context.minions.data(id)?.pillar),
    },
    [`mine(${TARGET}, **kwargs)` as const]: {
      doc: "What minions have in the mine.\n\n    salt-run cache.mine 'web*'",
      run: (context, args) =>
        gather(context, args, (id) => {
          const mine = context.minions.mine(id);
          return mine && Object.fromEntries(Object.entries(mine).map(([name, entry]) => [name, plain(entry)]));
        }),
    },
    [`clear_grains(${TARGET})` as const]: {
      doc: "Forgets the grains of minions. False without a target.\n\n    salt-run cache.clear_grains 'web*'",
      run: (context, args) => clear(context, args, { grains: true }),
    },
    [`clear_pillar(${TARGET})` as const]: {
      doc: "Forgets the pillar of minions. False without a target.\n\n    salt-run cache.clear_pillar 'web*'",
      run: (context, args) => clear(context, args, { pillar: true }),
    },
    [`clear_mine(${TARGET})` as const]: {
      doc: "Empties the mine of minions. False without a target.\n\n    salt-run cache.clear_mine 'web*'",
      run: (context, args) => clear(context, args, { mine: true }),
    },
    [`clear_mine_func(${TARGET}, clear_mine_func_flag=None)` as const]: {
      doc: "Takes one name out of the mine of minions.\n\n" +
        "    salt-run cache.clear_mine_func 'web*' clear_mine_func_flag=network.ip_addrs",
      run: (context, args) => {
        const name = args.clear_mine_func_flag;
        return clear(context, args, name === null ? {} : { mineFunction: str(name) });
      },
    },
    [`clear_all(${TARGET})` as const]: {
      doc: "Forgets grains, pillar and mine of minions. False without a target.\n\n    salt-run cache.clear_all 'web*'",
      run: (context, args) => clear(context, args, { grains: true, pillar: true, mine: true }),
    },
    "clear_git_lock(role: str, remote=None, **kwargs)": {
      doc: "Removes locks of repositories.\n\n" +
        "    salt-run cache.clear_git_lock gitfs\n\n" +
        "role: gitfs, git_pillar or winrepo\nremote: only those whose address has this text\nkwargs: type, as a list",
      run(context, { role, remote }) {
        if (ROLES.includes(role)) {
          const hasOne = role === "gitfs" && context.files.backends().some(({ name }) => name === "gitfs");
          const glob = truthy(remote) ? `*${str(remote)}*` : undefined;
          const { done } = hasOne ? context.files.setLocks("clear", "gitfs", glob) : { done: [] };
          return done.length === 0 ? "No locks were removed" : { cleared: done };
        }
        throw new SaltInvocationError(`Invalid role '${role}': expected one of ${ROLES.join(", ")}`);
      },
    },
    "cloud(tgt, provider=None)": {
      doc: "Not supported: there is no salt-cloud, so nothing is known of its machines.",
      run: () => {
        throw new CommandExecutionError(
          "There is no salt-cloud, so nothing is cached of its machines: ask the provider; cache.grains has what minions sent",
        );
      },
    },
    "migrate(src_driver='localfs', dst_driver: str='mmap_cache', bank=None, cachedir=None, dry_run=False)": {
      doc: "Not supported: the cache is kept in files, as Salt's localfs has them, and in nothing else.",
      run: (_context, { dst_driver }) => {
        throw new CommandExecutionError(
          `Cannot move the cache to '${dst_driver}': it is kept in files, as Salt's localfs has them; nothing has to be moved`,
        );
      },
    },
    "store(bank, key, data, cachedir=None)": {
      doc:
        "Keeps a value under a name in a bank of the master's cache.\n\n    salt-run cache.store mybank mykey 'a value'",
      run(context, { bank, key, data, cachedir }) {
        const directory = bankOf(context, bank, cachedir);
        context.runtime.fs.mkdir(directory, 0o700);
        context.runtime.fs.write(joinPath(directory, `${safe(key, "key")}.p`), encode(data, "bin"), { mode: 0o600 });
        return null;
      },
    },
    "fetch(bank, key, cachedir=None)": {
      doc: "A value of a bank of the master's cache; an empty map if there is none.\n\n" +
        "    salt-run cache.fetch mybank mykey",
      run(context, { bank, key, cachedir }) {
        const path = joinPath(bankOf(context, bank, cachedir), `${safe(key, "key")}.p`);
        const { fs } = context.runtime;
        return fs.stat(path)?.kind === "file" ? decode(fs.read(path), { mode: "bin" }) : {};
      },
    },
    "list(bank, cachedir=None)": {
      doc: "The names in a bank of the master's cache.\n\n    salt-run cache.list mybank",
      run(context, { bank, cachedir }) {
        const directory = bankOf(context, bank, cachedir);
        const { fs } = context.runtime;
        if (fs.stat(directory)?.kind !== "directory") return [];
        return fs.list(directory).map((name) => name.replace(/\.p$/, ""));
      },
    },
    "flush(bank, key=None, cachedir=None)": {
      doc:
        "Takes one name, or all of them, out of a bank of the master's cache.\n\n    salt-run cache.flush mybank mykey",
      run(context, { bank, key, cachedir }) {
        const directory = bankOf(context, bank, cachedir);
        const { fs } = context.runtime;
        const path = key === null ? directory : joinPath(directory, `${safe(key, "key")}.p`);
        if (fs.stat(path) === undefined) return false;
        fs.remove(path, { recursive: true });
        return true;
      },
    },
  }),
};
