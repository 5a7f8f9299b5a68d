import type { AuditFilter } from "../../model/loader/audit.ts";
import { runnerFunctions, type RunnerModule, SaltInvocationError } from "../../model/loader/family.ts";
import { repr } from "../../language/python/values.ts";

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time as ISO 8601, or as an age such as `2h`; undefined for none. */
function timeOf(name: string, value: unknown, now: number): number | undefined {
  if (value === null) return undefined;
  const [, count, unit] = /^(\d+)([smhd])$/.exec(String(value)) ?? [];
  const at = count === undefined ? Date.parse(String(value)) : now - Number(count) * UNITS[unit!]!;
  if (!Number.isFinite(at)) {
    throw new SaltInvocationError(`${name} is ${repr(value)}: expected a time (2026-07-01T12:00:00Z) or an age (2h)`);
  }
  return at;
}

function globOf(name: string, value: unknown): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== "string") throw new SaltInvocationError(`${name} is ${repr(value)}: expected a glob`);
  return value;
}

/** Number and hash of a line, as `salt/audit/checkpoint` and the master's log tell them. */
function expectedOf(value: unknown): { n: number; hash: string } | undefined {
  if (value === null) return undefined;
  const [, n, hash] = /^(\d+):([0-9a-f]{64})$/.exec(String(value)) ?? [];
  if (n === undefined) {
    throw new SaltInvocationError(`expect is ${repr(value)}: expected <line>:<hash>, as the master's log has them`);
  }
  return { n: Number(n), hash: hash! };
}

/** The audit log: who ran what, and whether the log is whole. */
export const runner: RunnerModule = {
  functions: runnerFunctions({
    "verify(expect=None)": {
      doc: "Checks the audit log: that no line was changed, removed, added or moved, and that it reaches to its last " +
        "signature.\n\nexpect\n    Number and hash of a line, `<line>:<hash>`, from a copy elsewhere: what was cut off up " +
        "to there is noticed, too.\n\n    salt-run audit.verify",
      run: ({ audit }, { expect }) => audit.verify(expectedOf(expect)),
    },
    "list(user=None, fun=None, minion=None, kind=None, outcome=None, since=None, until=None, limit=100)": {
      doc:
        "Lines of the audit log, oldest first.\n\nuser, fun, minion, outcome\n    Globs.\n\nkind\n    publish, runner, " +
        "wheel, login, key, sign-in, peer, start, stop and others; several separated by commas.\n\nsince, until\n    A time " +
        "as 2026-07-01T12:00:00Z, or an age as 2h or 7d.\n\nlimit\n    The newest so many, at most 10000.\n\n" +
        "    salt-run audit.list user=ann since=1d",
      run({ audit, runtime }, { user, fun, minion, kind, outcome, since, until, limit }) {
        const most = Number(limit);
        if (!Number.isInteger(most) || most < 1) {
          throw new SaltInvocationError(`limit is ${repr(limit)}: expected a number of lines, 1 to 10000`);
        }
        const now = runtime.clock.now();
        const found = {
          user: globOf("user", user),
          fun: globOf("fun", fun),
          minion: globOf("minion", minion),
          outcome: globOf("outcome", outcome),
          kind: globOf("kind", kind)?.split(","),
          sinceMs: timeOf("since", since, now),
          untilMs: timeOf("until", until, now),
        };
        const given = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
        return audit.search({ ...given, limit: most } as AuditFilter);
      },
    },
  }),
};
