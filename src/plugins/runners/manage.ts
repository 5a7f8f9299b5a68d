import type { RunnerContext } from "../../loader/context.ts";
import type { RunnerModule } from "../../loader/family.ts";
import type { BoundArguments } from "../../loader/signature.ts";

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
      doc: "The releases that the minions run.",
      run: async (context) => {
        const answers = await context.command({ tgt: "*", fun: "test.version" }) ?? {};
        const groups: Record<string, Record<string, unknown>> = {};
        for (const [id, version] of Object.entries(answers)) (groups[String(version)] ??= {})[id] = version;
        return groups;
      },
    },
  },
};
