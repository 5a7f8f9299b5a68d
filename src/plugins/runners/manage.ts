import type { RunnerContext } from "../../loader/context.ts";
import type { RunnerModule } from "../../loader/family.ts";
import type { BoundArguments } from "../../loader/signature.ts";
import { str } from "../../python/repr.ts";
import { truthy } from "../../python/truth.ts";
import { SALT_COMPAT } from "../../version.ts";

const SIGNATURE = "output=True, tgt='*', tgt_type='glob', timeout=None, gather_job_timeout=None";
const UP_SIGNATURE = "tgt='*', tgt_type='glob', timeout=None, gather_job_timeout=None";

/** Pings a target: who answered, and who should have. */
async function ping(context: RunnerContext, args: BoundArguments): Promise<{ up: string[]; down: string[] }> {
  const { tgt, tgt_type } = args;
  const options = {
    ...(typeof args.timeout === "number" ? { timeoutMs: args.timeout * 1000 } : {}),
    ...(typeof args.gather_job_timeout === "number" ? { gatherMs: args.gather_job_timeout * 1000 } : {}),
  };
  const answers = await context.command({ tgt, tgt_type, fun: "test.ping" }, options);
  if (answers === undefined) {
    context.print("No minions matched the target. No command was sent, no jid was assigned.");
    return { up: [], down: [] };
  }
  const up = Object.keys(answers).sort();
  const expected = context.expand({ tgt, tgt_type });
  return { up, down: expected.filter((id) => !(id in answers)).sort() };
}

const OFFLINE = "Minion offline";

/** How a release stands to the master's: numbers compared one by one. */
function labelOf(version: string): string {
  const numbers = (text: string) => text.split(/[.+~-]/).map(Number).filter((number) => !Number.isNaN(number));
  const [minion, master] = [numbers(version), numbers(SALT_COMPAT)];
  for (let at = 0; at < Math.max(minion.length, master.length); at++) {
    const difference = (minion[at] ?? 0) - (master[at] ?? 0);
    if (difference !== 0) return difference < 0 ? "Minion requires update" : "Minion newer than master";
  }
  return "Up to date";
}

/** Names for the same thing, from when it was reached by several ways. */
const PRESENCE = ["present", "list_state", "joined", "allowed", "alived", "reaped"];

/** Who is connected, and from where; only a master of ours tells. */
async function connected(context: RunnerContext): Promise<Map<string, string>> {
  const { connected } = await context.ask("connected", {}) as { connected: Record<string, string> };
  return new Map(Object.entries(connected));
}

function subsetOf(subset: unknown): (id: string) => boolean {
  if (subset === null || subset === undefined) return () => true;
  const ids = new Set(Array.isArray(subset) ? subset.map(str) : str(subset).split(",").map((id) => id.trim()));
  return (id) => ids.has(id);
}

async function present(context: RunnerContext, { subset, show_ip }: BoundArguments): Promise<unknown> {
  const wanted = subsetOf(subset);
  const found = [...await connected(context)].filter(([id]) => wanted(id)).sort(([a], [b]) => a < b ? -1 : 1);
  return truthy(show_ip) ? Object.fromEntries(found) : found.map(([id]) => id);
}

async function absent(context: RunnerContext, { subset }: BoundArguments): Promise<string[]> {
  const wanted = subsetOf(subset);
  const there = await connected(context);
  return context.accepted().filter((id) => wanted(id) && !there.has(id)).sort();
}

export const runner: RunnerModule = {
  functions: {
    status: {
      signature: SIGNATURE,
      doc: "Which minions answer and which do not.",
      run: (context, args) => ping(context, args),
    },
    up: {
      signature: UP_SIGNATURE,
      doc: "The minions that answer.",
      run: async (context, args) => (await ping(context, args)).up,
    },
    down: {
      signature: `removekeys=False, ${UP_SIGNATURE}`,
      doc: "The minions that do not answer.",
      run: async (context, args) => (await ping(context, args)).down,
    },
    versions: {
      signature: "timeout=None, gather_job_timeout=None",
      doc: "The releases that the minions have, beside that of the master.",
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
      [name, {
        signature: "subset=None, show_ip=False",
        doc: "The minions that are connected now; nothing is sent to them. show_ip: with the address of each.\n\n" +
          `    salt-run manage.${name}`,
        run: (context: RunnerContext, args: BoundArguments) => present(context, args),
      }],
      [name === "list_state" ? "list_not_state" : `not_${name}`, {
        signature: "subset=None, show_ip=False",
        doc: "The minions with an accepted key that are not connected now.\n\n    salt-run manage.not_present",
        run: (context: RunnerContext, args: BoundArguments) => absent(context, args),
      }],
    ])),
  },
};
