import { isRecord } from "../base/record.ts";
import { argumentText } from "./job_arguments.ts";

/** One line of the master's audit log. */
export interface AuditRow {
  n: number;
  atMs?: number;
  kind: string;
  user: string;
  /** The subject of the line: function, arguments, target or id. */
  what: string;
  from: string;
  outcome: string;
  whole: Record<string, unknown>;
}

/** A login that has not ended. */
export interface SignedInUser {
  user: string;
  eauth: string;
  startMs: number;
  expireMs: number;
}

/** Characters of a text from the audit log that are shown: a table row has room for no more. */
const MAX_CHARACTERS = 300;
const text = (value: unknown): string =>
  (typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value)).slice(
    0,
    MAX_CHARACTERS,
  );

/** Reads the result of runner `audit.list`, latest first; undefined for any other value. */
export function readAudit(found: unknown): AuditRow[] | undefined {
  if (!Array.isArray(found)) return undefined;
  return found.filter(isRecord).map((whole) => {
    const { n, time, kind, user, fun, args, tgt, id, jid, act, from, outcome } = whole;
    const atMs = Date.parse(text(time));
    const called = Array.isArray(args) ? argumentText(args) : "";
    return {
      n: Number(n) || 0,
      ...(Number.isNaN(atMs) ? {} : { atMs }),
      kind: text(kind),
      user: text(user),
      what: [
        text(fun),
        called,
        text(act),
        text(id),
        tgt === undefined ? "" : `on ${text(tgt)}`,
        fun === undefined ? text(jid) : "",
      ]
        .filter((part) => part !== "").join(" ").slice(0, MAX_CHARACTERS),
      from: text(from),
      outcome: text(outcome),
      whole,
    };
  }).reverse();
}

/** Reads the result of runner `auth.signed_in`; undefined for any other value. */
export function readSignedIn(found: unknown): SignedInUser[] | undefined {
  if (!Array.isArray(found)) return undefined;
  return found.filter(isRecord).map(({ user, eauth, start, expire }) => ({
    user: text(user),
    eauth: text(eauth),
    startMs: Number(start) * 1000 || 0,
    expireMs: Number(expire) * 1000 || 0,
  }));
}

/** The search in the audit log: globs, kinds, an age. */
export interface AuditSearch {
  user: string;
  fun: string;
  kind: string;
  since: string;
}

export const AUDIT_KINDS: readonly string[] = [
  "publish",
  "runner",
  "wheel",
  "login",
  "key",
  "sign-in",
  "peer",
  "start",
  "stop",
  "reload",
];

export function readAuditSearch({ user = "", fun = "", kind = "", since = "" }: Record<string, string>): AuditSearch {
  return { user, fun, kind: AUDIT_KINDS.includes(kind) ? kind : "", since: /^\d{1,4}[smhd]$/.test(since) ? since : "" };
}

/** The most lines to read, newest first. */
const MAX_LINES = 1000;

/** The arguments of runner `audit.list`. */
export function auditArguments({ user, fun, kind, since }: AuditSearch): Record<string, unknown> {
  const given = { user, fun, kind, since };
  return { ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== "")), limit: MAX_LINES };
}
