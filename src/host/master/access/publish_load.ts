import { functionsFault } from "../../../model/job/function_name.ts";
import { isPlainJid } from "../../../model/job/jid.ts";
import type { Load } from "../load.ts";

/** Characters of a user's name, which is matched with every rule before the caller is authenticated. */
const MAX_NAME = 256;

/** The field if it is text, otherwise empty text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What is malformed in a publish load; undefined if nothing is. */
export function publishFault(load: Load): string | undefined {
  const fault = functionsFault(load.fun);
  if (fault !== undefined) return fault;
  if (textOf(load.user).length > MAX_NAME) return `user has more than ${MAX_NAME} characters`;
  if (!Array.isArray(load.arg)) return "arg is not a list";
  // Minions of each kind would read anything else in their own way.
  if (Array.isArray(load.fun) && !load.arg.every((one) => Array.isArray(one))) {
    return "fun is a list, and arg is not a list of arguments for each of its functions";
  }
  if (typeof load.tgt !== "string" && !Array.isArray(load.tgt) && load.tgt !== null) {
    return "tgt is neither text nor a list";
  }
  if (
    load.jid !== undefined && load.jid !== "" && load.jid !== null &&
    !(typeof load.jid === "string" && isPlainJid(load.jid))
  ) {
    return "jid is not a job id";
  }
  return undefined;
}
