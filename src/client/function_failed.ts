import { ClientError } from "./client_error.ts";

/** The last line of a traceback has its message. */
const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";

/**
 * The return of a function that the master has run.
 *
 * @param what such as `runner "jobs.list_jobs"`
 * @param data as its last event has it: `return`, `success`
 * @throws {ClientError} `FAILED` if it did not succeed; its field `return` has all that the function said
 */
export function returnOrFailure(what: string, data: Record<string, unknown>): unknown {
  if (data.success !== false) return data.return;
  const said = typeof data.return === "string" ? lastLine(data.return) : "";
  throw new ClientError("FAILED", `The ${what} failed${said === "" ? "" : `: ${said}`}`, { return: data.return });
}
