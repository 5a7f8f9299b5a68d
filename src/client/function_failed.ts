import { ClientError } from "./client_error.ts";

/** The last line of a text: in a traceback, the message. */
const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";

/**
 * The return of a function of the master.
 *
 * @param what the name for messages, such as `runner "jobs.list_jobs"`
 * @param data the data of the function's last event: `return`, `success`
 * @throws {ClientError} `FAILED` if the function did not succeed; the error's field `return` has the whole return
 */
export function returnOrFailure(what: string, data: Record<string, unknown>): unknown {
  if (data.success !== false) return data.return;
  const said = typeof data.return === "string" ? lastLine(data.return) : "";
  throw new ClientError("FAILED", `The ${what} failed${said === "" ? "" : `: ${said}`}`, { return: data.return });
}
