/** `/`, `/run`, `/minions` and `/jobs`: commands and their returns. */
import { messageOf, TimeoutError } from "../../../../base/errors.ts";
import { isMap } from "../../../../language/python/values.ts";
import { localOfPresent, publishLocal } from "../../commands/local_clients.ts";
import { type Low, type LowContext, lowContext, lowstates } from "../../commands/lowstate.ts";
import { runRunnerCall, startRunnerCall } from "../../commands/runner_clients.ts";
import type { Call } from "../../requests/call.ts";
import type { Answer } from "../../requests/route.ts";
import { HttpError, MasterDownError, RefusedError } from "../../wire/errors.ts";

interface Result {
  value: unknown;
  /** True if the caller may not run the command. */
  refused: boolean;
}

const REFUSED: Result = { value: "Failed to authenticate", refused: true };

const CLIENTS: Record<string, (low: Low, context: LowContext) => Promise<unknown>> = {
  local: localOfPresent,
  local_async: publishLocal,
  runner: async (low, context) => {
    try {
      return await runRunnerCall(low, context);
    } catch (error) {
      if (error instanceof TimeoutError) return "Timeout waiting for runner to execute";
      throw error;
    }
  },
  runner_async: startRunnerCall,
};

export const welcome = (): Answer => ({ value: { clients: Object.keys(CLIENTS), return: "Welcome" } });

/** `POST /`: runs commands with the session's token. */
export const run = (call: Call): Promise<Answer> => runEach(call, lowstates(call.body.data));

/** `POST /run`: runs commands that may contain their own credentials. */
export async function runWithCredentials(call: Call): Promise<Answer> {
  if (isMap(call.body.data) || Array.isArray(call.body.data)) return await run(call);
  throw new HttpError(400, "Lowstates must be a list");
}

export function grainsOfMinions(call: Call): Promise<Answer> {
  return runEach(call, [{ client: "local", tgt: call.params.mid ?? "*", fun: "grains.items" }]);
}

/** `POST /minions`: starts jobs and does not wait. */
export async function startJobs(call: Call): Promise<Answer> {
  const lows = lowstates(call.body.data);
  for (const low of lows) {
    if (low.client !== undefined && low.client !== "local_async") return badRequest("We don't serve your kind here");
    low.client = "local_async";
  }
  return await runEach(call, lows);
}

/** `GET /jobs` lists jobs, `GET /jobs/<jid>` shows one of them. */
export function jobs(call: Call): Promise<Answer> {
  const { jid } = call.params;
  return runEach(call, [
    jid === undefined ? { client: "runner", fun: "jobs.list_jobs" } : { client: "runner", fun: "jobs.list_job", jid },
  ]);
}

/** Runs commands one after the other. A failure becomes the result of its command; only a refused caller ends the list. */
async function runEach(call: Call, lows: readonly Low[]): Promise<Answer> {
  const known = ({ client }: Low) => typeof client === "string" && Object.hasOwn(CLIENTS, client);
  if (!lows.every(known)) return badRequest("400 Invalid Client: Client not found in salt clients");
  const context = lowContext(call);
  const results: unknown[] = [];
  for (const given of lows) {
    const low = { ...given };
    if (low.token === undefined && call.identity !== undefined) low.token = call.identity.record.token;
    const { value, refused } = hasCredentials(low) ? await resultOf(low, context) : REFUSED;
    results.push(value);
    if (refused) break;
  }
  return { value: { return: results } };
}

function hasCredentials({ token, username, password, eauth }: Low): boolean {
  return token !== undefined || (username !== undefined && password !== undefined && eauth !== undefined);
}

async function resultOf(low: Low, context: LowContext): Promise<Result> {
  try {
    return { value: await CLIENTS[low.client as string]!(low, context), refused: false };
  } catch (error) {
    if (error instanceof MasterDownError) throw error;
    if (error instanceof HttpError && error.status === 429) throw error;
    if (isRefusal(error, low)) return REFUSED;
    return { value: `Unexpected exception while handling request: ${messageOf(error)}`, refused: false };
  }
}

/** True for the refusal of a local client: Salt's servers report refused runners like any other failure. */
function isRefusal(error: unknown, { client }: Low): boolean {
  if (error instanceof HttpError) return error.status === 401;
  if (!(error instanceof RefusedError) || !String(client).startsWith("local")) return false;
  return error.kind === "authentication" || error.kind === "authorization";
}

function badRequest(text: string): Response {
  return new Response(text, { status: 400, headers: { "Content-Type": "text/html; charset=UTF-8" } });
}
