/** Programs as modules: a program describes its functions, and is run once for each call, with JSON in both directions. */
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { type Args, entriesOf, isMap, lookup, str } from "../../language/python/values.ts";
import { parseOrderedJson } from "../../language/python/json.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { CommandExecutionError, knownError } from "./family.ts";
import { parseSignature, type Signature } from "./signature.ts";

interface ProgramDescription {
  /** Function name → its signature and documentation. */
  functions: Map<string, { signature: string; doc: string }>;
  virtual: true | string | { unavailable: string };
}

/** The fields that a program receives with a call. */
export interface ProgramCaller {
  readonly runtime: Pick<Runtime, "process" | "clock">;
  readonly log: Logger;
  readonly opts: Record<string, unknown>;
  readonly grains?: Record<string, unknown>;
  readonly pillar?: Record<string, unknown>;
  readonly jid?: string;
  /** Aborted when the job is ended; this ends the program, too. */
  readonly signal?: AbortSignal;
  ownProcess?(pid: number): void;
}

/** Milliseconds for a program to describe itself. */
const DESCRIBE_MS = 30_000;
/** Milliseconds that a program gets to end after its job was ended. */
const GRACE_MS = 2000;
/** Bytes that a program may print, at most. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Characters of stderr that an error shows. */
const SHOWN = 1000;

interface Ended {
  how: string | undefined;
  stdout: string;
  stderr: string;
}

async function runProgram(
  { runtime: { process, clock }, signal, ownProcess }: Pick<ProgramCaller, "runtime" | "signal" | "ownProcess">,
  argv: readonly string[],
  options: { stdin?: Uint8Array; timeoutMs?: number } = {},
): Promise<Ended> {
  signal?.throwIfAborted();
  const out: Record<"stdout" | "stderr", string> = { stdout: "", stderr: "" };
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let bytes = 0;
  const take = (stream: "stdout" | "stderr") => (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return kill("SIGKILL");
    out[stream] += decoders[stream].decode(chunk, { stream: true });
  };
  const child = await process.spawn({
    argv,
    env: process.environment(),
    detached: true,
    stdin: options.stdin,
    onStdout: take("stdout"),
    onStderr: take("stderr"),
  });
  ownProcess?.(child.pid);
  const kill = (how: "SIGTERM" | "SIGKILL") => {
    try {
      process.kill(-child.pid, how);
    } catch {
      // The process group is gone, and its number may belong to another user.
    }
  };
  let late = false;
  const cancel = options.timeoutMs === undefined ? () => {} : clock.after(options.timeoutMs, () => {
    late = true;
    kill("SIGKILL");
  });
  const onAbort = () => {
    kill("SIGTERM");
    const off = clock.after(GRACE_MS, () => kill("SIGKILL"));
    void child.exited.then(off);
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const { code, signal: by } = await child.exited;
    signal?.throwIfAborted();
    const how = bytes > MAX_BYTES
      ? `printed more than ${MAX_BYTES} bytes`
      : late
      ? `did not finish within ${options.timeoutMs! / 1000} seconds`
      : by !== null
      ? `was killed by ${by}`
      : code !== 0
      ? `exited with ${code}`
      : undefined;
    return { how, ...out };
  } finally {
    cancel();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** The map that a program printed; undefined for other output. */
function mapOf(stdout: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const value = parseOrderedJson(stdout);
    return isMap(value) ? new Map(entriesOf(value).map(([key, item]) => [String(key), item])) : undefined;
  } catch {
    return undefined;
  }
}

function complaint(path: string, { how, stdout, stderr }: Ended): string {
  const said = stderr.trim().slice(-SHOWN) || stdout.trim().slice(0, SHOWN);
  return `The program "${path}" ${how ?? "printed no JSON map"}${said === "" ? "" : `: ${said}`}`;
}

/** Asks a program to describe its functions. @throws if the program cannot be run, or its description is invalid */
export async function describeProgram(
  caller: Pick<ProgramCaller, "runtime">,
  path: string,
): Promise<ProgramDescription> {
  const ended = await runProgram(caller, [path, "describe"], { timeoutMs: DESCRIBE_MS });
  const said = ended.how === undefined ? mapOf(ended.stdout) : undefined;
  const listed = said?.get("functions");
  if (said === undefined || !isMap(listed)) {
    const what = said === undefined ? complaint(path, ended) : `The program "${path}" names no functions`;
    throw new Error(
      `${what}. Brine runs a custom module that begins with #! with the argument "describe". It must print ` +
        '{"functions": {"name": {"signature": "who, times=1", "doc": "…"}}}',
    );
  }
  const functions = new Map(
    entriesOf(listed).map(([name, value]) => {
      const text = (field: string) =>
        isMap(value) && lookup(value, field) !== undefined ? str(lookup(value, field)) : "";
      return [String(name), { signature: text("signature"), doc: text("doc") }];
    }),
  );
  const virtual = said.get("virtual");
  const why = isMap(virtual) ? lookup(virtual, "unavailable") : undefined;
  return {
    functions,
    virtual: isMap(virtual) || virtual === false
      ? { unavailable: why === undefined ? "" : str(why) }
      : typeof virtual === "string"
      ? virtual
      : true,
  };
}

/** Replaces values that JSON cannot express by the nearest ones. */
function jsonable(_key: string, value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [str(key), item]));
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (typeof value === "bigint") return Number(value);
  return value;
}

function callOf(caller: ProgramCaller, name: string, signature: Signature, bound: Args): Uint8Array {
  const { params, varargs, keywords } = signature;
  const { opts, grains = {}, pillar = {}, jid = "" } = caller;
  return new TextEncoder().encode(JSON.stringify({
    function: name,
    arguments: Object.fromEntries(params.map((param) => [param.name, bound[param.name] ?? null])),
    args: varargs === undefined ? [] : bound[varargs],
    kwargs: keywords === undefined ? {} : bound[keywords],
    id: opts.id ?? "",
    jid,
    grains,
    pillar,
    opts,
  }, jsonable));
}

/**
 * Calls a function of a program.
 *
 * @param retcode called with the return code, if the program sends one with its return
 * @throws the error that the program sends, as one that hosts distinguish; CommandExecutionError for an invalid answer
 */
export async function callProgram(
  caller: ProgramCaller,
  path: string,
  name: string,
  signature: string,
  bound: Args,
  retcode?: (code: number) => void,
): Promise<unknown> {
  const stdin = callOf(caller, name, parseSignature(signature), bound);
  let ended: Ended;
  try {
    ended = await runProgram(caller, [path, "call"], { stdin });
  } catch (error) {
    caller.signal?.throwIfAborted();
    throw new CommandExecutionError(messageOf(error), { cause: error });
  }
  const reply = mapOf(ended.stdout);
  if (reply?.has("error")) {
    const text = str(reply.get("error"));
    const kind = reply.get("kind") ?? "CommandExecutionError";
    const known = knownError(kind, Object.fromEntries(reply), text);
    throw known instanceof Error ? known : Object.assign(new Error(text), { name: str(kind) });
  }
  if (ended.how !== undefined || !reply?.has("return")) {
    throw new CommandExecutionError(
      reply === undefined || ended.how !== undefined
        ? complaint(path, ended)
        : `The program "${path}" printed neither "return" nor "error"`,
    );
  }
  if (ended.stderr.trim() !== "") caller.log.debug("a program said", { path, stderr: ended.stderr.slice(-SHOWN) });
  const code = Number(reply.get("retcode") ?? 0);
  if (Number.isInteger(code)) retcode?.(code);
  return reply.get("return");
}
