/** The clients that run a chunk, by the name in its field `client`. */
import { HttpError, RefusedError } from "../wire/errors.ts";
import { publishLocal, runLocal, runLocalBatch, runSubset } from "./local_clients.ts";
import { lowCredentials } from "./low_fields.ts";
import type { Low, LowContext } from "./lowstate.ts";
import { runRunnerCall, startRunnerCall } from "./runner_clients.ts";
import { runWheelCall, startWheel } from "./wheel_clients.ts";

/** Runs a chunk: one result, or several as they come. */
export type Client = (low: Low, context: LowContext) => Promise<unknown> | AsyncGenerator<unknown>;

const CLIENTS: Record<string, Client> = {
  local: runLocal,
  local_async: publishLocal,
  local_batch: runLocalBatch,
  local_subset: runSubset,
  runner: runRunnerCall,
  runner_async: startRunnerCall,
  ssh: refuseSsh,
  wheel: runWheelCall,
  wheel_async: startWheel,
};

/** Names of all clients, in the order in which `GET /` lists them. */
export const CLIENT_NAMES: readonly string[] = Object.keys(CLIENTS);

/** The client with a name; undefined if there is none. */
export function clientOf(name: unknown): Client | undefined {
  return typeof name === "string" && Object.hasOwn(CLIENTS, name) ? CLIENTS[name] : undefined;
}

/** `ssh` is not available. As with every other client, a caller without valid credentials is refused first. */
async function refuseSsh(low: Low, { backend }: LowContext): Promise<never> {
  const credentials = lowCredentials(low);
  const known = typeof credentials.token === "string"
    ? await backend.token(credentials.token)
    : await backend.login(credentials);
  if (known === undefined) throw new RefusedError("authentication", "Authentication error occurred.");
  throw new HttpError(501, "The client ssh is not available here: use a minion");
}
