/**
 * Brine: Salt's remote execution in TypeScript. This module is what a script imports: it connects to the master on this
 * host, runs jobs, follows events and reads outcomes. Masters and minions in a program of one's own are in `./master` and
 * `./minion`, the HTTP gateway in `./gateway`, message formats in `./wire`, ZeroMQ sockets in `./zmtp`.
 *
 * Nothing in its graph is from npm or from a runtime, so that it can be imported from a URL.
 *
 * @example Run a command and handle each outcome
 * ```ts
 * import { connect } from "brine";
 *
 * await using salt = await connect();
 * for await (const outcome of salt.run({ tgt: "*", fun: "cmd.run", arg: ["uptime"] })) {
 *   if (outcome.kind === "returned") console.log(outcome.id, outcome.return);
 *   else console.error(outcome.id, outcome.kind);
 * }
 * ```
 *
 * @module
 */
export * from "./src/client/mod.ts";
// By name: a program adds functions of its own to these.
export type { ExecutionFunctions } from "./src/client/functions/execution_functions.ts";
export type { RunnerFunctions } from "./src/client/functions/runner_functions.ts";
export type { WheelFunctions } from "./src/client/functions/wheel_functions.ts";

// Events and jids
export { jobEvents, jobOutcome, jobOutput, jobReturn, jobReturns } from "./src/model/event/tag.ts";
export { tagMatcher, type TagMatchType } from "./src/model/event/tag_matcher.ts";
export { isJid, jidMs, newJid } from "./src/model/job/jid.ts";

// Errors that only a program beside a master meets
export { AuthenticationError, ConfigError, SystemError } from "./src/base/errors.ts";

// Runtime, log, version
export { createLogger, silentLogger } from "./src/base/log.ts";
export { currentRuntime } from "./src/runtime/current.ts";
export { VERSION } from "./src/base/version.ts";
