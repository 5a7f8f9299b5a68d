import { functionsFault } from "../../../model/job/function_name.ts";
import { isPlainJid } from "../../../model/job/jid.ts";
import type { Load } from "../load.ts";

/** The most characters of a user name: it is matched with every rule before the caller is authenticated. */
const MAX_NAME = 256;

/** Returns a field if it is text, otherwise empty text. */
export function loadText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns what is malformed in a publish load; undefined if nothing is. */
export function publishFault(load: Load): string | undefined {
  const fault = functionsFault(load.fun);
  if (fault !== undefined) return fault;
  if (loadText(load.user).length > MAX_NAME) return `user has more than ${MAX_NAME} characters`;
  if (!Array.isArray(load.arg)) return "arg is not a list";
  // Salt's minions and Brine's would read arguments of another shape differently.
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
