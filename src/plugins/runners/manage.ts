import { joinPath } from "../../base/paths.ts";
import type { RunnerContext, RunnerModule } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  runnerFunction,
  runnerFunctions,
  SaltInvocationError,
} from "../../model/loader/family.ts";
import { type Args, repr, str, truthy } from "../../language/python/values.ts";
import { SALT_COMPAT } from "../../base/version.ts";
import { walkPaths } from "../linux/paths.ts";
import { connectedMinions } from "./connected_minions.ts";
import { masterIssues } from "./master_issues.ts";

const SIGNATURE = "output=True, tgt='*', tgt_type='glob', timeout=None, gather_job_timeout=None";
const UP_SIGNATURE = "tgt='*', tgt_type='glob', timeout=None, gather_job_timeout=None";

/** Pings a target. @returns the minions that answered, and those that should have */
async function ping(context: RunnerContext, args: Args): Promise<{ up: string[]; down: string[] }> {
  const { tgt, tgt_type } = args as { tgt: string | string[]; tgt_type: string };
  const options = {
    ...secondsOf("timeoutMs", args.timeout),
    ...secondsOf("gatherMs", args.gather_job_timeout),
  };
  const answers = await context.command({ tgt, tgt_type, fun: "test.ping" }, options);
  if (answers === undefined) return { up: [], down: [] };
  const up = Object.keys(answers).sort();
  const expected = context.expand({ tgt, tgt_type });
  return { up, down: expected.filter((id) => !(id in answers)).sort() };
}

/** A time that the caller gave, in milliseconds; nothing stands for the configured one, and so does 0, as in Salt. */
function secondsOf(name: string, seconds: unknown): Record<string, number> {
  if (!truthy(seconds)) return {};
  const number = Number(seconds);
  if (Number.isFinite(number) && number > 0) return { [name]: number * 1000 };
  throw new SaltInvocationError(`${repr(seconds)} is not a time: expected seconds, such as 5`);
}

const OFFLINE = "Minion offline";

/** Compares a release with the master's, number by number. */
function labelOf(version: string): string {
  const numbers = (text: string) => text.split(/[.+~-]/).map(Number).filter((number) => !Number.isNaN(number));
  const [minion, master] = [numbers(version), numbers(SALT_COMPAT)];
  for (let at = 0; at < Math.max(minion.length, master.length); at++) {
    const difference = (minion[at] ?? 0) - (master[at] ?? 0);
    if (difference !== 0) return difference < 0 ? "Minion requires update" : "Minion newer than master";
  }
  return "Up to date";
}

/** Other names of the same functions, from when there were several transports. */
const PRESENCE = ["present", "list_state", "joined", "allowed", "alived", "reaped"];

function subsetOf(subset: unknown): (id: string) => boolean {
  if (subset === null || subset === undefined) return () => true;
  const ids = new Set(Array.isArray(subset) ? subset.map(str) : str(subset).split(",").map((id) => id.trim()));
  return (id) => ids.has(id);
}

async function present(context: RunnerContext, { subset, show_ip }: Args): Promise<unknown> {
  const wanted = subsetOf(subset);
  const found = [...await connectedMinions(context)].filter(([id]) => wanted(id)).sort(([a], [b]) => a < b ? -1 : 1);
  return truthy(show_ip) ? Object.fromEntries(found) : found.map(([id]) => id);
}

/** In the order of the keys, as Salt lists them. */
async function absent(context: RunnerContext, { subset }: Args): Promise<string[]> {
  const wanted = subsetOf(subset);
  const there = await connectedMinions(context);
  return context.accepted().filter((id) => wanted(id) && !there.has(id));
}

const AFTER_REGENERATION =
  "The keys of the minions that answered and those of the master are gone.\n\nRestart the master now, within a minute, and " +
  "minions of Brine as well.\nTheir new keys are pending then: have a look at them with salt-key -L, and accept\nthem with:\n" +
  "    salt-key -A\n\nA minion that was away has the old key of the master. On its host:\n    salt-call --local saltutil.regen_keys";

const overSsh = (remedy: string) => (): never => {
  throw new CommandExecutionError(`There is no agentless mode, so hosts cannot be reached over SSH. ${remedy}`);
};

export const runner: RunnerModule = {
  functions: runnerFunctions({
    [`status(${SIGNATURE})` as const]: {
      doc: "The minions that answer and those that do not.",
      run: (context, args) => ping(context, args),
    },
    [`up(${UP_SIGNATURE})` as const]: {
      doc: "The minions that answer.",
      run: async (context, args) => (await ping(context, args)).up,
    },
    [`down(removekeys=False, ${UP_SIGNATURE})` as const]: {
      doc: "The minions that do not answer.\n\n    salt-run manage.down\n\n" +
        "removekeys: delete the keys of those, without asking; a minion that is only slow loses its key, too",
      async run(context, args) {
        const { down } = await ping(context, args);
        if (truthy(args.removekeys) && down.length > 0) await context.wheel("key.delete_dict", [{ minions: down }]);
        return down;
      },
    },
    "issues()": {
      doc:
        "What needs an operator at the master: little disk space, refused returns, events that wait for event_return,\n" +
        "certificates that end soon, reactor files without a reactor. Each has a text and a remedy. Brine's own.\n\n" +
        "    salt-run manage.issues",
      run: (context) => masterIssues(context),
    },
    "key_regen()": {
      doc:
        "Has all minions remove their keys, and removes those of the master: all of them, with no way back. The master has\n" +
        "to be restarted then, Brine minions as well, and all keys accepted again.\n\n" +
        "    salt-run manage.key_regen",
      async run(context): Promise<string> {
        const { runtime: { fs }, opts: { pki_dir: directory } } = context;
        if (typeof directory !== "string" || directory === "") {
          throw new CommandExecutionError("Cannot find the master's keys: pki_dir is not set");
        }
        await context.command({ tgt: "*", tgt_type: "glob", fun: "saltutil.regen_keys" });
        for (const { path, files } of walkPaths(fs, directory)) {
          for (const name of files) fs.remove(joinPath(path, name));
        }
        return AFTER_REGENERATION;
      },
    },
    "safe_accept(target, tgt_type='glob')": {
      doc: "Not supported: it would need SSH to read the minions' fingerprints.",
      run: overSsh(
        "Compare the fingerprints of salt-key -f with those of salt-call --local key.finger, and accept with salt-key -a",
      ),
    },
    bootstrap: runnerFunction({
      signature: `version='develop', script='', hosts='', script_args='', roster='flat', ssh_user=None,
        ssh_password=None, ssh_priv_key=None, tmp_dir='/tmp/.bootstrap', http_backend='tornado'`,
      doc: "Not supported: it would install minions over SSH.",
      run: overSsh("Install the minion on the host itself"),
    }),
    bootstrap_psexec: runnerFunction({
      signature: "hosts='', master=None, version=None, arch='win32', installer_url=None, username=None, password=None",
      doc: "Not supported: it would install minions on Windows hosts from here.",
      run: () => {
        throw new CommandExecutionError("Cannot install on Windows hosts from here: install on the host itself");
      },
    }),
    "versions()": {
      doc: "The versions of the minions, compared with the master's.",
      async run(context) {
        const answers = await context.command({ tgt: "*", fun: "test.version" }) ?? {};
        const groups: Record<string, Record<string, unknown>> = {};
        for (const id of context.expand({ tgt: "*", tgt_type: "glob" }).sort()) {
          const version = answers[id];
          (groups[typeof version === "string" ? labelOf(version) : OFFLINE] ??= {})[id] = version ?? false;
        }
        return { Master: SALT_COMPAT, ...groups };
      },
    },
    ...Object.fromEntries(PRESENCE.flatMap((name) => [
      [
        name,
        runnerFunction({
          signature: "subset=None, show_ip=False",
          doc: "The minions that are connected now; nothing is sent to them. show_ip: with the address of each.\n\n" +
            `    salt-run manage.${name}`,
          run: (context, args) => present(context, args),
        }),
      ],
      [
        name === "list_state" ? "list_not_state" : `not_${name}`,
        runnerFunction({
          signature: "subset=None, show_ip=False",
          doc: "The minions with an accepted key that are not connected now.\n\n    salt-run manage.not_present",
          run: (context, args) => absent(context, args),
        }),
      ],
    ])),
  }),
};
