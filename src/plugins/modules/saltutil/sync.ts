import { type ExecutionFunction, executionFunction, type JobContext } from "../../../model/loader/family.ts";
import { syncModules } from "../../../model/loader/sync.ts";
import { type Args, truthy } from "../../../language/python/values.ts";
import { clearGrainsCache } from "../../grains_cache.ts";
import { messageOf } from "../../../base/errors.ts";
import { stateOptions } from "../../../model/loader/state_options.ts";

/**
 * The environments that the top files of states, or else the master's `master_tops`, have anything in for this minion; base if there is
 * none, or no top file.
 */
async function topEnvironments(context: JobContext): Promise<string[]> {
  const { log } = context;
  const { openStateCompiler } = await import("../../../content/state/compile/open_compiler.ts");
  const compiler = openStateCompiler({ ...context, opts: await stateOptions(context) });
  try {
    const top = await compiler.top();
    const found = top.size === 0 ? [] : [...(await compiler.topMatches(top)).keys()];
    return found.length === 0 ? ["base"] : found;
  } catch (error) {
    log.warning("the top file does not name environments to sync from, using base", { error: messageOf(error) });
    return ["base"];
  }
}

/** Fires an event on the minion's own bus, which the minion obeys. */
export function notifyMinion(context: JobContext, tag: string, data: Record<string, unknown>): boolean {
  if (context.master === undefined) return false;
  context.master.fireLocal(tag, data);
  return true;
}

/**
 * Kinds of custom modules, in the order in which Salt lists them: by the word after `sync_`, each with its folder if that has
 * another name, and whether the minion must refresh its grains or pillar rather than its modules.
 */
export const KINDS: Record<string, { folder?: string; facts?: true }> = {
  clouds: {},
  beacons: {},
  modules: {},
  states: {},
  sdb: {},
  grains: { facts: true },
  renderers: {},
  returners: {},
  output: {},
  utils: {},
  log_handlers: {},
  executors: {},
  proxymodules: { folder: "proxy" },
  engines: {},
  thorium: {},
  serializers: {},
  matchers: {},
  pillar: { facts: true },
};

const SYNC = "saltenv=None, refresh=True, extmod_whitelist=None, extmod_blacklist=None";

export const SYNC_FACTS = `${SYNC}, clean_pillar_cache=False` as const;

/** Kinds that need no refresh when they have changed. */
const QUIET: ReadonlySet<string> = new Set(["engines", "matchers", "proxymodules", "thorium"]);

function syncSignature(name: string, facts: boolean): string {
  if (name === "sdb") return SYNC.replace("refresh=True, ", "");
  return facts ? SYNC_FACTS : QUIET.has(name) ? SYNC.replace("refresh=True", "refresh=False") : SYNC;
}

/** The arguments of a sync function, with the environments that they stand for. */
export async function withEnvironments(context: JobContext, args: Args): Promise<Args> {
  const given = args.saltenv ?? context.opts.saltenv ?? null;
  return { ...args, saltenv: given === null ? await topEnvironments(context) : given };
}

export async function syncKind(context: JobContext, kind: string, args: Args): Promise<string[]> {
  const { saltenv, extmod_whitelist: whitelist, extmod_blacklist: blacklist } = args;
  const { changed, touched } = await syncModules(context, KINDS[kind]?.folder ?? kind, {
    saltenv,
    whitelist,
    blacklist,
  });
  // The next call within this job must find them.
  if (touched) context.functions.reload();
  if (kind === "grains") clearGrainsCache(context);
  return changed;
}

export function refreshModules(context: JobContext): void {
  context.functions.reload();
  notifyMinion(context, "module_refresh", { notify: false });
}

export function refreshFacts(context: JobContext, cleanCache: unknown): void {
  context.functions.reload();
  notifyMinion(context, "pillar_refresh", { clean_cache: truthy(cleanCache) });
}

export function sync(name: string, kind = name): [string, ExecutionFunction] {
  return [
    `sync_${name}`,
    executionFunction({
      signature: syncSignature(name, KINDS[kind]?.facts === true),
      doc:
        `Fetches the custom ${kind} of salt://_${
          KINDS[kind]?.folder ?? kind
        }, and returns the names of those that changed.\n\n` +
        `    salt '*' saltutil.sync_${name}\n    salt '*' saltutil.sync_${name} saltenv=base,dev extmod_whitelist=one,two`,
      async run(context, args) {
        const changed = await syncKind(context, kind, await withEnvironments(context, args));
        if (truthy(args.refresh ?? true)) {
          if (KINDS[kind]?.facts) refreshFacts(context, args.clean_pillar_cache);
          else refreshModules(context);
        }
        return changed;
      },
    }),
  ];
}
