import type { RunnerContext, RunnerFunction, RunnerModule } from "../../model/loader/family.ts";
import { runnerFunction, runnerFunctions } from "../../model/loader/family.ts";
import type { Args } from "../../language/python/values.ts";
import { syncModules } from "../../model/loader/sync.ts";

/** Kinds of custom modules, in the order in which Salt lists them; some functions have another name than their kind. */
const KINDS: Record<string, { name?: string; folder?: string }> = {
  clouds: {},
  modules: {},
  states: {},
  grains: {},
  renderers: {},
  returners: {},
  output: {},
  proxymodules: { folder: "proxy" },
  runners: {},
  wheel: {},
  engines: {},
  thorium: {},
  queues: {},
  pillar: {},
  utils: {},
  sdb: {},
  cache: {},
  fileserver: {},
  tops: {},
  tokens: { name: "eauth_tokens" },
  serializers: {},
  executors: {},
  roster: {},
};

/** Kinds of 3007 and later, which sync_all leaves out as 3006 does. */
const LATER_KINDS: typeof KINDS = { wrapper: {} };

const SIGNATURE = "saltenv='base', extmod_whitelist=None, extmod_blacklist=None";

async function syncKind(context: RunnerContext, kind: string, args: Args): Promise<string[]> {
  const { runtime, log, opts, fetched } = context;
  const { saltenv, extmod_whitelist: whitelist, extmod_blacklist: blacklist } = args;
  const place = { runtime, log, opts, files: fetched };
  return (await syncModules(place, (KINDS[kind] ?? LATER_KINDS[kind])!.folder ?? kind, {
    saltenv,
    whitelist,
    blacklist,
  })).changed;
}

/** Custom modules of the master's own host: those that its runners, outputters and other parts are loaded from. */
export const runner: RunnerModule = {
  functions: runnerFunctions({
    [`sync_all(${SIGNATURE})` as const]: {
      doc: "Fetches custom modules of all kinds for the master, and returns the names of those that changed.\n\n" +
        "    salt-run saltutil.sync_all\n    salt-run saltutil.sync_all extmod_whitelist='{runners: [one], grains: []}'",
      async run(context, args) {
        const changed: Record<string, string[]> = {};
        for (const kind of Object.keys(KINDS)) changed[kind] = await syncKind(context, kind, args);
        return changed;
      },
    },
    ...Object.fromEntries(
      Object.entries({ ...KINDS, ...LATER_KINDS }).map((
        [kind, { name = kind, folder = kind }],
      ): [string, RunnerFunction] => [
        `sync_${name}`,
        runnerFunction({
          signature: SIGNATURE,
          doc:
            `Fetches the custom ${kind} of salt://_${folder} for the master, and returns the names of those that changed.\n\n` +
            `    salt-run saltutil.sync_${name}\n    salt-run saltutil.sync_${name} saltenv=base,dev`,
          run: (context, args) => syncKind(context, kind, args),
        }),
      ]),
    ),
  }),
};
