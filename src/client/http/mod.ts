/**
 * Salt over HTTP, through a salt-api, for browsers and workers, which have no runtime. The client is the same as that of `connect(url)`
 * in the main module, without the part for a master on the same host.
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
 * Connects to a master over HTTP, through a salt-api of Brine or of Salt.
 *
 * @param url the address of the server, with its `root_prefix` if it has one
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
 * @throws {TypeError} for an unknown option or an invalid address
 */
export function connect(url: string | URL, options: HttpOptions): Promise<HttpClient> {
  return HttpClient.open(url, options);
}

export * from "../shared_exports.ts";
// Exported by name, so that a program can add its own functions to these interfaces.
export type { ExecutionFunctions } from "../functions/execution_functions.ts";
export type { RunnerFunctions } from "../functions/runner_functions.ts";
export type { WheelFunctions } from "../functions/wheel_functions.ts";
