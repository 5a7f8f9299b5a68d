import { type Api, ApiError } from "../../api.ts";
import { isRecord } from "../../../base/record.ts";

interface Call {
  fun: string;
  arg?: unknown[];
  kwarg?: Record<string, unknown>;
}

/**
 * Calls a function on one minion and waits for its return.
 *
 * @throws {ApiError} if the minion does not answer, or has no such function
 */
export async function askMinion(api: Api, id: string, { fun, arg = [], kwarg }: Call): Promise<unknown> {
  const answers = await api.local({
    tgt: id,
    tgt_type: "list",
    fun,
    arg,
    ...(kwarg === undefined ? {} : { kwarg }),
  });
  const answer = answers[id];
  if (answer === undefined || answer === false) {
    throw new ApiError("failed", 200, `${id} did not answer`, "Check that the minion is up, and read its log.");
  }
  if (typeof answer === "string" && /is not available|TypeError|Traceback|ERROR|^Passed invalid/.test(answer)) {
    const lines = answer.trim().split("\n");
    // In a traceback the message is the last line; if arguments were refused, it is the first line.
    const words = lines.at(answer.startsWith("Passed invalid") ? 0 : -1)!;
    throw new ApiError("failed", 200, `${id}: ${words.slice(0, 300)}`, "The log of the minion may have details.");
  }
  return answer;
}

/**
 * Calls a function that changes something and answers with `{result, comment}`.
 *
 * @returns the comment
 * @throws {ApiError} with the comment if the call failed
 */
export async function tellMinion(api: Api, id: string, call: Call): Promise<string> {
  const answer = await askMinion(api, id, call);
  const { result, comment } = isRecord(answer) ? answer : { result: answer, comment: "" };
  const text = (Array.isArray(comment) ? comment.join(" ") : String(comment ?? "")).slice(0, 500);
  if (result === true) return text === "" ? `${call.fun}: done` : text;
  throw new ApiError("refused", 200, text === "" ? `${call.fun} failed on ${id}` : text, "Nothing was changed.");
}
