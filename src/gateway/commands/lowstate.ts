import type { Credentials } from "../../client/credentials.ts";
import type { CollectOptions } from "../../client/job_collector.ts";
import { hasReturn } from "../../client/outcome.ts";
import type { PublishRequest } from "../../client/publish_request.ts";
import { conditionInput, parseArguments } from "../../job/args.ts";
import { NO_MATCH } from "../../job/no_match.ts";
import { isMap, lookup } from "../../python/containers.ts";
import { repr } from "../../python/repr.ts";
import { isFloat, isInteger } from "../../python/float.ts";
import { inlineNodegroups } from "../../target/nodegroup.ts";
import { TimeoutError } from "../../errors.ts";
import { HttpError, RefusedError } from "../wire/errors.ts";
import type { GuardedBackend } from "../backend/guarded_backend.ts";
import type { GatewaySettings } from "../settings.ts";

/** One command as a request gives it. */
export type Low = Record<string, unknown>;

/** With what a command is carried out. */
export interface LowContext {
  backend: GuardedBackend;
  settings: GatewaySettings;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

/** The most that a number of seconds in a request may be: a day. */
const MOST_SECONDS = 86_400;
/** Fields in which a command says who asks. */
const CREDENTIAL_FIELDS = ["token", "eauth", "username", "password"] as const;
/** Fields of a publication that the master or its minions act on, beside those with a place of their own. */
const PUBLISH_KWARGS = [
  "delimiter",
  "metadata",
  "module_executors",
  "executor_opts",
  "ret_config",
  "ret_kwargs",
  "show_jid",
] as const;

/** A number of seconds, which clients also write as text; undefined if the field is missing or null. */
function seconds(low: Low, field: string): number | undefined {
  const value = low[field];
  if (value === undefined || value === null || value === "") return undefined;
  const number = Number(value);
  if (!Number.isFinite(number) || number < 0 || number > MOST_SECONDS || typeof value === "boolean") {
    throw new HttpError(400, `${field} is not a number of seconds from 0 to ${MOST_SECONDS}`);
  }
  return number;
}

/** Who asks, as the master wants to hear it. No other field reaches a back end. */
export function credentialsOf(low: Low): Credentials {
  checkToken(low);
  // A token decides alone: beside it, other credentials could only be a second opinion.
  if (low.token !== undefined) return { token: low.token };
  const { eauth, username, password } = low;
  return { eauth, username, password };
}

/** Keyword arguments at the top of a runner's or wheel's command: all that has no other meaning. */
function topLevel(low: Low, reserved: readonly string[]): Low {
  const rest: [string, unknown][] = Object.entries(low).filter(([name]) =>
    // Names with two underscores are how the master tells its own functions of job and user.
    !name.startsWith("__") && !reserved.includes(name) && !(CREDENTIAL_FIELDS as readonly string[]).includes(name)
  );
  return Object.fromEntries(rest);
}

const flag = (value: unknown) => value === true || value === "true" || value === "True" || value === 1;

/** `arg` and `kwarg` in the form of a job: for one function, or for each of several. */
function jobArguments(low: Low): unknown[] {
  const arg = low.arg === undefined || low.arg === null ? [] : [low.arg].flat(1);
  const { kwarg } = low;
  // A form's may be any text: what is no map is not looked at.
  if (!isMap(kwarg)) return conditionInput(arg, new Map());
  const named = new Map<unknown, unknown>(kwarg instanceof Map ? kwarg : Object.entries(kwarg));
  return conditionInput(arg, named);
}

/** The target of a lowstate, with node groups inlined: only this side of the wire knows them. */
function targetOf(low: Low, nodegroups: Record<string, unknown>): { tgt: string | string[]; tgt_type: string } {
  const tgt_type = low.tgt_type === undefined || low.tgt_type === null ? "glob" : String(low.tgt_type);
  return inlineNodegroups({ tgt: low.tgt as string | string[], tgt_type }, nodegroups);
}

/** What a command publishes. @throws {HttpError} 400 */
export function publication(low: Low, { settings, backend }: LowContext): PublishRequest {
  const { fun, tgt, ret, jid } = low;
  const functions = [fun].flat();
  if (functions.length === 0 || !functions.every((name) => typeof name === "string" && name !== "")) {
    throw new HttpError(400, "fun is missing: expected a function, or a list of them");
  }
  const isTarget = typeof tgt === "string" || (Array.isArray(tgt) && tgt.every((id) => typeof id === "string"));
  if (!isTarget) throw new HttpError(400, "tgt is missing: expected a target, or a list of minions");
  const kwargs: Record<string, unknown> = {};
  for (const name of PUBLISH_KWARGS) if (low[name] !== undefined) kwargs[name] = low[name];
  return {
    ...targetOf(low, settings.nodegroups),
    fun: fun as string | string[],
    arg: jobArguments(low),
    ret: typeof ret === "string" ? ret : "",
    jid: typeof jid === "string" ? jid : "",
    kwargs,
    credentials: credentialsOf(low),
    ...(backend.isBrine && flag(low.stream) ? { stream: true } : {}),
  };
}

function collecting(low: Low, { settings, signal }: LowContext): CollectOptions {
  const [timeout, gather] = [seconds(low, "timeout"), seconds(low, "gather_job_timeout")];
  return {
    timeoutMs: timeout === undefined ? settings.timeoutMs : timeout * 1000,
    gatherMs: gather === undefined ? settings.gatherMs : gather * 1000,
    signal,
  };
}

async function collect(
  request: PublishRequest,
  options: CollectOptions,
  { backend }: LowContext,
  full: boolean,
): Promise<unknown> {
  const values: [string, unknown][] = [];
  for await (const outcome of backend.run(request, options)) {
    const { id, jid } = outcome;
    if (outcome.kind === "missing") continue;
    if (!hasReturn(outcome)) values.push([id, false]);
    else if (!full) values.push([id, outcome.return]);
    else {
      const { out, retcode } = outcome;
      values.push([id, { ret: outcome.return, retcode, jid, ...(out === undefined ? {} : { out }) }]);
    }
  }
  return Object.fromEntries(values);
}

async function local(low: Low, context: LowContext): Promise<unknown> {
  return await collect(publication(low, context), collecting(low, context), context, flag(low.full_return));
}

/** The same for clients that take a missing minion for what it is: absent from the answer. */
export async function localOfTornado(low: Low, context: LowContext): Promise<unknown> {
  let matched = true;
  const values: [string, unknown][] = [];
  const outcomes = context.backend.run(publication(low, context), collecting(low, context));
  for (;;) {
    const { done, value } = await outcomes.next();
    if (done) {
      matched = value !== undefined;
      break;
    }
    if (hasReturn(value)) values.push([value.id, value.return]);
  }
  return matched ? Object.fromEntries(values) : NO_MATCH;
}

async function localAsync(low: Low, context: LowContext): Promise<unknown> {
  const published = await context.backend.publish(publication(low, context));
  return published === undefined ? {} : { jid: published.jid, minions: published.minions };
}

async function localSubset(low: Low, context: LowContext): Promise<unknown> {
  const request = publication(low, context);
  const options = collecting(low, context);
  const wanted = Number(low.subset ?? low.sub ?? 3);
  if (!Number.isInteger(wanted) || wanted < 0) throw new HttpError(400, "subset is not a number of minions");
  const tgt = await context.backend.subset(request, wanted, options);
  if (tgt.length === 0) return {};
  return await collect({ ...request, tgt, tgt_type: "list" }, options, context, flag(low.full_return));
}

async function* localBatch(low: Low, context: LowContext): AsyncGenerator<unknown> {
  const size = low.batch === undefined || low.batch === null ? "10%" : String(low.batch);
  if (!/^\d+(?:\.\d+)?%$|^%\d+(?:\.\d+)?$|^[1-9]\d*$/.test(size)) {
    throw new HttpError(400, "batch is neither a number of minions nor a percentage");
  }
  const options = { ...collecting(low, context), size };
  for await (const event of context.backend.batch(publication(low, context), options)) {
    if (event.kind !== "ended") continue;
    yield { [event.outcome.id]: hasReturn(event.outcome) ? event.outcome.return : false };
  }
}

/** Only runners know which arguments they take, and those who call them send more. */
const UNEXPECTED = /got an unexpected keyword argument '([^']*)'/;
const MOST_RETRIES = 20;

function runnerRequest(low: Low): { fun: string; arg: unknown[]; kwarg: Low; credentials: Credentials } {
  const { fun } = low;
  if (typeof fun !== "string" || fun === "") throw new HttpError(400, "runner takes at least 1 argument (0 given)");
  const { positional, keyword } = parseArguments(low.arg === undefined || low.arg === null ? [] : [low.arg].flat(1));
  const named = isMap(low.kwarg) ? (low.kwarg instanceof Map ? [...low.kwarg] : Object.entries(low.kwarg)) : [];
  const kwarg = Object.fromEntries([
    ...keyword,
    ...named.filter(([name]) => !String(name).startsWith("__")),
    ...Object.entries(topLevel(low, ["client", "fun", "arg", "kwarg", "timeout", "full_return", "user", "key"])),
  ]);
  return { fun, arg: positional, kwarg, credentials: credentialsOf(low) };
}

/** The runner does not exist: real servers find out before they ask, and answer with an error of their own. */
function missing(fun: string, data: Record<string, unknown>): boolean {
  const words = `'${fun}' is not available.`;
  const text = data.return;
  if (data.success !== false || typeof text !== "string") return false;
  // A real master finds out in the course of running it.
  return text === words || (text.startsWith(`Exception occurred in runner ${fun}:`) && text.trimEnd().endsWith(words));
}

async function runner(low: Low, { backend, settings, signal }: LowContext): Promise<unknown> {
  const request = runnerRequest(low);
  const wanted = seconds(low, "timeout");
  const timeoutMs = wanted === undefined ? settings.runnerTimeoutMs : wanted * 1000;
  for (let attempt = 0;; attempt++) {
    const event = await backend.runner(request, { timeoutMs, signal });
    const { data } = event;
    if (missing(request.fun, data)) throw new RefusedError("unknown", `'${request.fun}' is not available.`);
    // It was not run, since its arguments did not fit: once more without those that it does not know.
    const name = typeof data.return === "string" && data.return.startsWith("\nPassed invalid arguments")
      ? UNEXPECTED.exec(data.return)?.[1]
      : undefined;
    const surplus = name !== undefined && Object.hasOwn(request.kwarg, name) && !namedOnPurpose(low, name);
    if (!surplus || attempt >= MOST_RETRIES) return flag(low.full_return) ? { data, tag: event.tag } : data.return;
    delete request.kwarg[name];
  }
}

/** An argument in `kwarg` or `arg` is meant for the function; what stands beside them may be for us. */
function namedOnPurpose(low: Low, name: string): boolean {
  return isMap(low.kwarg) && lookup(low.kwarg, name) !== undefined;
}

async function runnerAsync(low: Low, { backend }: LowContext): Promise<unknown> {
  const { tag, jid } = await backend.startRunner(runnerRequest(low));
  return { tag, jid };
}

function wheelRequest(low: Low): { fun: string; kwarg: Low; credentials: Credentials } {
  const { fun } = low;
  if (typeof fun !== "string" || fun === "") {
    throw new HttpError(400, `${low.client} takes at least 1 argument (0 given)`);
  }
  return { fun, kwarg: topLevel(low, ["client", "fun", "cmd", "user", "key"]), credentials: credentialsOf(low) };
}

async function wheel(low: Low, { backend }: LowContext): Promise<unknown> {
  return await backend.wheel(wheelRequest(low));
}

/**
 * Answers once the function has ended: the master knows no other way, and an answer before it has looked at the credentials
 * would be one to anybody.
 */
async function wheelAsync(low: Low, { backend }: LowContext): Promise<unknown> {
  const { tag, data } = await backend.wheel(wheelRequest(low));
  return { tag, jid: data.jid };
}

/** There is no ssh here; but who may not ask is told that first, as with every other client. */
async function ssh(low: Low, { backend }: LowContext): Promise<unknown> {
  const credentials = credentialsOf(low);
  const known = typeof credentials.token === "string"
    ? await backend.token(credentials.token)
    : await backend.login(credentials);
  if (known === undefined) throw new RefusedError("authentication", "Authentication error occurred.");
  throw new HttpError(501, "The client ssh is not available here: use a minion");
}

/** How each client is carried out: a value, or several as they come. */
type Client = (low: Low, context: LowContext) => Promise<unknown> | AsyncGenerator<unknown>;

const CLIENTS: Record<string, Client> = {
  local,
  local_async: localAsync,
  local_batch: localBatch,
  local_subset: localSubset,
  runner,
  runner_async: runnerAsync,
  ssh,
  wheel,
  wheel_async: wheelAsync,
};

/** Names of all clients, in the order in which they are shown. */
export const CLIENT_NAMES: readonly string[] = Object.keys(CLIENTS);

/** The token of a command must be one that the master could have given: it is the name of a file there. */
function checkToken(low: Low): void {
  if (low.token === undefined) return;
  if (typeof low.token !== "string" || !/^[0-9a-fA-F]{1,256}$/.test(low.token)) {
    throw new HttpError(401, "Invalid token");
  }
}

/** Real servers write what is no text as Python does. */
const named = (client: unknown) => client === undefined || client === null ? "None" : String(client);

/**
 * Carries out one command of the default profile.
 *
 * @throws {HttpError} if it has not the right form, or says nothing of who asks
 * @throws {RefusedError} if the master says no
 */
export async function* execute(low: Low, context: LowContext): AsyncGenerator<unknown> {
  const { settings } = context;
  const { client } = low;
  checkToken(low);
  if (typeof client !== "string" || !Object.hasOwn(CLIENTS, client)) {
    throw new HttpError(400, `Invalid client specified: '${named(client)}'`);
  }
  if (!settings.clients.has(client)) {
    throw new HttpError(
      400,
      `Client disabled: '${client}'. Add to 'netapi_enable_clients' master config option to enable.`,
    );
  }
  if (low.token === undefined && low.eauth === undefined) {
    throw new HttpError(401, "No authentication credentials given");
  }
  if (low.raw_shell && !settings.allowRawShell) throw new HttpError(401, "Raw shell option not allowed.");
  const result = CLIENTS[client]!(low, context);
  if (Symbol.asyncIterator in result) yield* result;
  else yield await result;
}

/** The clients of tornado's server, and how they are carried out there. */
export const TORNADO_CLIENTS: Record<string, (low: Low, context: LowContext) => Promise<unknown>> = {
  local: localOfTornado,
  local_async: localAsync,
  runner: async (low, context) => {
    try {
      return await runner(low, context);
    } catch (error) {
      if (error instanceof TimeoutError) return "Timeout waiting for runner to execute";
      throw error;
    }
  },
  runner_async: runnerAsync,
};

/** The commands of a body: one mapping or a list of them, each with its `arg` a list. */
export function lowstates(data: unknown): Low[] {
  const list = isMap(data) ? [data] : data;
  if (!Array.isArray(list)) throw new HttpError(400, "Lowstates must be a list");
  return list.map((low, at) => {
    if (!isMap(low) || low instanceof Map) {
      throw new HttpError(400, `Lowstate ${at} is ${describe(low)}: expected a mapping of text keys`);
    }
    const copy: Low = { ...low };
    if (copy.arg !== undefined && !Array.isArray(copy.arg)) copy.arg = [copy.arg];
    return copy;
  });
}

function describe(value: unknown): string {
  return isInteger(value) || isFloat(value) || typeof value === "string" ? repr(value) : "no such thing";
}
