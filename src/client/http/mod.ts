/**
 * Salt over HTTP alone, through a salt-api: for browsers and workers, where nothing of a runtime is to be had. It is what `connect(url)`
 * of the main module opens, without the part for a master on the same host.
 *
 * @example Run a command from a worker
 * ```ts
 * import { connect } from "brine/http";
 *
 * await using salt = await connect("https://salt.example.com:8000", { token: "…" });
 * for await (const outcome of salt.run({ tgt: "*", fun: "test.ping" })) console.log(outcome.id, outcome.kind);
 * ```
 *
 * @module
 */
import { HttpClient } from "./http_client.ts";
import type { HttpOptions } from "./http_options.ts";

/**
 * Connects to a master over HTTP, through a salt-api: Brine's or real Salt's.
 *
 * @param url with the server's `root_prefix`, if it has one
 * @example
 * ```ts
 * import { connect } from "brine/http";
 *
 * export async function ping(token: string): Promise<void> {
 *   await using salt = await connect("https://salt.example.com:8000", { token });
 *   for await (const { id, kind } of salt.run({ tgt: "*", fun: "test.ping" })) console.log(id, kind);
 * }
 * ```
 * @throws {ClientError} `AUTHENTICATION`, `UNREACHABLE`, `MASTER_DOWN`; `INSECURE` for plain HTTP to another machine
 * @throws {TypeError} for an unknown option, or an address that is none
 */
export function connect(url: string | URL, options: HttpOptions): Promise<HttpClient> {
  return HttpClient.open(url, options);
}

export * from "../shared_exports.ts";
// By name: a program adds functions of its own to these.
export type { ExecutionFunctions } from "../functions/execution_functions.ts";
export type { RunnerFunctions } from "../functions/runner_functions.ts";
export type { WheelFunctions } from "../functions/wheel_functions.ts";
