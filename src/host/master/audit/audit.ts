import type { Clock } from "../../../base/async/clock.ts";
import type { BusEvent } from "../../../model/event/bus.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { type Caller, type CallingReaction, proofOf, withoutCredentials } from "../access/callers.ts";
import { isRecord, type Load } from "../load.ts";
import type { AuditEntry, AuditKind } from "./audit_entry.ts";
import type { Duty } from "../duty.ts";
import type { AuditLog } from "./audit_log.ts";
import type { FloodGate } from "./flood_gate.ts";
import type { KeyFollower } from "./key_follower.ts";
import type { ArgumentRedaction } from "./redact_arguments.ts";

/** The most entries that are written at a time. */
const AT_ONCE = 1000;
const CHECKPOINT_MS = 60_000;
const KEYS_MS = 1000;

interface AuditOptions {
  file: AuditLog;
  log: Logger;
  clock: Pick<Clock, "elapsed">;
  redaction: ArgumentRedaction;
  gate: FloodGate;
  /** What happens to commands while the log cannot be written: they go on, or are refused. */
  failure: "continue" | "refuse";
  /** Reads the decisions on keys, which `salt-key` makes in another process. */
  keys: KeyFollower;
}

/** The clear commands that are recorded, with the kind of their lines; all others change nothing. */
const CLEAR: Readonly<Record<string, AuditKind>> = {
  publish: "publish",
  runner: "runner",
  wheel: "wheel",
  mk_token: "login",
  del_token: "logout",
  job_dequeue: "dequeue",
};
const PEER: ReadonlySet<string> = new Set(["minion_pub", "minion_publish", "minion_runner", "revoke_auth"]);
/** The most ids that one line names; further ids are only counted. */
const MAX_IDS = 100;
/** The most jobs and runners whose end is awaited. */
const MAX_OPEN = 20_000;
/** The most characters of a name that are recorded: longer ones are of no minion or function. */
const MAX_NAME_CHARACTERS = 256;
const RUN = /^salt\/run\/(\d{20}(?:_[0-9A-Za-z]+)?)\/(new|ret)$/;

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value.slice(0, MAX_NAME_CHARACTERS) : undefined;

/** Records what callers and minions ask of a master, and what becomes of it. */
export class Audit {
  readonly #options: AuditOptions;
  /** Jobs and runners that were recorded, and have not ended. */
  readonly #open = new Set<string>();

  constructor(options: AuditOptions) {
    this.#options = options;
  }

  /** The number and hash of the last line, and why lines cannot be written at present, if they cannot. */
  get state(): { n: number; hash: string; failure: string | undefined } {
    const { file } = this.#options;
    return { ...file.head, failure: file.failure };
  }

  /** The work that the master repeats for the audit log while it runs. */
  get duties(): Duty[] {
    return [
      { name: "record decisions on keys", everyMs: KEYS_MS, run: () => this.#followKeys() },
      { name: "sign the audit log", everyMs: CHECKPOINT_MS, run: () => this.#checkpoint(false) },
    ];
  }

  /** Records the end of the master, and signs the log. */
  async close(): Promise<void> {
    await this.#followKeys();
    await this.note({ kind: "stop", outcome: "ok" });
    await this.#checkpoint(true);
  }

  async #followKeys(): Promise<void> {
    const { keys, file } = this.#options;
    const entries = keys.read();
    for (let at = 0; at < entries.length; at += AT_ONCE) {
      for (const entry of entries.slice(at, at + AT_ONCE)) file.record(entry);
      await this.#saved();
    }
    if (entries.length > 0 && file.failure === undefined) keys.taken();
  }

  /** Records an action of the master without a caller, such as `start`. */
  async note(entry: AuditEntry): Promise<void> {
    this.#options.file.record(entry);
    await this.#saved();
  }

  /**
   * Runs a clear command and records it. The answer is given once its line is on the disk.
   *
   * @param caller returns the caller that the command has authenticated; undefined if there is none
   */
  async clear(load: Load, remote: string, caller: () => Caller | undefined, run: () => unknown): Promise<unknown> {
    const kind = Object.hasOwn(CLEAR, load.cmd as string) ? CLEAR[load.cmd as string]! : undefined;
    if (kind === undefined) return await run();
    if (!await this.#ready()) return refusal(kind);
    const value = await run();
    this.#record(this.#ofCommand(kind, load, remote, caller(), value));
    await this.#saved();
    return value;
  }

  /** Runs a sealed command of a minion and records it. The answer is given once its line is on the disk. */
  async sealed(load: Load, minion: string | undefined, remote: string, run: () => unknown): Promise<unknown> {
    if (!PEER.has(load.cmd as string)) return await run();
    if (!await this.#ready()) return {};
    const value = await run();
    const outcome = value === false || isRecord(value) && Object.keys(value).length === 0 ? "refused" : "ok";
    this.#record({
      kind: "peer",
      cmd: load.cmd,
      user: minion ?? "",
      from: remote,
      outcome,
      fun: shownFunction(load.fun),
      args: this.#options.redaction.shown(load.fun, load.arg),
      tgt: shownTarget(load.tgt),
    });
    await this.#saved();
    return value;
  }

  records(cmd: unknown): boolean {
    return typeof cmd === "string" && PEER.has(cmd);
  }

  /** Called when a sign-in of a minion was refused. */
  signIn(event: { act?: string; id: unknown }, origin: string): void {
    this.#record({ kind: "sign-in", id: textOf(event.id), from: origin, outcome: event.act ?? "refused" });
    this.#later();
  }

  /** Called when all targets of a job have ended. */
  jobEnd(jid: string, counts: Record<string, number>): void {
    if (!this.#open.delete(jid)) return;
    this.#options.file.record({ kind: "job-end", jid, outcome: "ok", ...counts });
    this.#later();
  }

  /** Records the runners that events of the bus tell of, also those that `salt-run` starts. */
  onEvent(event: BusEvent): void {
    const [, jid, what] = RUN.exec(event.tag) ?? [];
    if (jid === undefined) return;
    // The data is decoded only for events of runners.
    const { data } = event;
    const fun = textOf(data.fun);
    const user = textOf(data.user);
    if (what === "ret") {
      this.#open.delete(jid);
      const outcome = data.success === false ? "failed" : "ok";
      this.#options.file.record({ kind: "runner-end", jid, fun, user, outcome });
    } else {
      if (this.#open.has(jid)) return;
      this.#remember(jid);
      const args = this.#options.redaction.shown(fun, data.fun_args);
      this.#options.file.record({ kind: "runner", jid, fun, user, from: "this host", args, outcome: "ok" });
    }
    this.#later();
  }

  /** Signs new lines, and writes the counts of refusals that were left out. @param ending true when the master stops */
  async #checkpoint(ending: boolean): Promise<void> {
    const { file, gate } = this.#options;
    for (const count of gate.due(ending)) file.record(count);
    try {
      await file.checkpoint();
    } catch {
      // The audit log has logged the error; lines that wait are tried again with the next line.
    }
  }

  #record(entry: AuditEntry): void {
    const { file, gate } = this.#options;
    const refused = entry.outcome !== "ok";
    for (const one of refused ? gate.admit(entry) : [entry]) file.record(one);
  }

  #ofCommand(kind: AuditKind, load: Load, from: string, caller: Caller | undefined, value: unknown): AuditEntry {
    const given = kind === "publish" && isRecord(load.kwargs) ? load.kwargs : load;
    const outcome = outcomeOf(kind, value);
    const unknown = outcome.includes("Authentication");
    const user = caller?.user ?? textOf(given.username) ?? textOf(load.user);
    const entry: AuditEntry = {
      kind,
      user,
      proof: unknown && caller === undefined ? "none" : caller?.proof ?? proofOf(given),
      ...kind === "login" ? { eauth: textOf(load.eauth) } : {},
      from,
      outcome,
      ...caller?.reaction === undefined ? {} : { reaction: shownReaction(caller.reaction) },
    };
    if (kind === "login" || kind === "logout") return entry;
    entry.fun = shownFunction(load.fun);
    if (kind === "dequeue") return { ...entry, jid: textOf(load.jid) };
    if (kind === "publish") return this.#ofPublication(entry, load, value);
    const { cmd: _, fun: __, jid: ___, __origin__: ____, ...rest } = withoutCredentials(load);
    const answer = isRecord(value) ? value : {};
    const jid = textOf(answer.jid) ?? (isRecord(answer.data) ? textOf(answer.data.jid) : undefined);
    if (kind === "runner" && jid !== undefined) this.#remember(jid);
    return { ...entry, args: this.#options.redaction.shown(load.fun, rest), jid };
  }

  #ofPublication(entry: AuditEntry, load: Load, value: unknown): AuditEntry {
    const answer = isRecord(value) && isRecord(value.load) ? value.load : {};
    const minions = Array.isArray(answer.minions) ? answer.minions : [];
    const jid = textOf(answer.jid);
    if (jid !== undefined) this.#remember(jid);
    return {
      ...entry,
      args: this.#options.redaction.shown(load.fun, load.arg),
      tgt: shownTarget(load.tgt),
      tgt_type: textOf(load.tgt_type),
      ...load.ret ? { ret: textOf(load.ret) } : {},
      jid,
      minions: minions.slice(0, MAX_IDS),
      targets: minions.length,
    };
  }

  #remember(jid: string): void {
    if (this.#open.size >= MAX_OPEN) this.#open.delete(this.#open.values().next().value!);
    this.#open.add(jid);
  }

  /** False if no command may run, since it could not be recorded. */
  async #ready(): Promise<boolean> {
    const { file, failure } = this.#options;
    if (failure === "continue" || file.failure === undefined) return true;
    await file.saved().catch(() => {});
    return file.failure === undefined;
  }

  async #saved(): Promise<void> {
    try {
      await this.#options.file.saved();
    } catch (error) {
      // The command has already run; with "refuse", the next command is refused.
      this.#options.log.debug("audit line not written yet", { error: messageOf(error) });
    }
  }

  #later(): void {
    void this.#saved();
  }
}

/** Returns the outcome by an answer: `ok`, or the name or the text of its error. */
function outcomeOf(kind: AuditKind, value: unknown): string {
  if (kind === "login") return isRecord(value) ? "ok" : "AuthenticationError";
  if (kind === "logout") return value === true ? "ok" : "no such token";
  if (!isRecord(value)) return "ok";
  const error = value.error ?? (isRecord(value.load) ? value.load.error : undefined);
  if (isRecord(error)) return textOf(error.name) ?? "failed";
  if (error !== undefined) return textOf(error) ?? "failed";
  return isRecord(value.data) && value.data.success === false ? "failed" : "ok";
}

function shownFunction(fun: unknown): unknown {
  return Array.isArray(fun) ? fun.slice(0, 32).map((one) => String(one).slice(0, MAX_NAME_CHARACTERS)) : textOf(fun);
}

function shownReaction(reaction: CallingReaction): Record<string, string> {
  return Object.fromEntries(
    Object.entries(reaction).map(([name, text]) => [name, String(text).slice(0, MAX_NAME_CHARACTERS)]),
  );
}

function shownTarget(tgt: unknown): unknown {
  if (!Array.isArray(tgt)) return textOf(tgt);
  const ids = tgt.slice(0, MAX_IDS).map((id) => String(id).slice(0, MAX_NAME_CHARACTERS));
  return tgt.length > MAX_IDS ? [...ids, `… and ${tgt.length - MAX_IDS} more`] : ids;
}

/** Returns the answer to a command that is refused because it cannot be recorded. */
function refusal(kind: AuditKind): unknown {
  const message = "The master's audit log cannot be written, and audit_failure is refuse: free disk space in audit_dir";
  if (kind === "login") return "";
  if (kind === "logout") return false;
  return kind === "publish" ? { enc: "clear", load: { error: message } } : { error: { name: "AuditError", message } };
}
