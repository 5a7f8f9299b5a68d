import { messageOf } from "../../base/errors.ts";
import { isRecord } from "../../base/record.ts";
import type { Context } from "./family.ts";

/** Options that the master decides for its minions. */
const OF_MASTER = [
  "renderer",
  "failhard",
  "state_top",
  "state_top_saltenv",
  "nodegroups",
  "state_auto_order",
  "file_roots",
  "top_file_merging_strategy",
  "env_order",
  "default_top",
  "jinja_env",
  "jinja_sls_env",
  "jinja_lstrip_blocks",
  "jinja_trim_blocks",
] as const;

/** Options that are on if either the minion or its master sets them. */
const OF_EITHER = ["state_events", "state_aggregate"] as const;

/** Options to use if the master does not answer. */
const WITHOUT_ANSWER = { renderer: "jinja|yaml", failhard: false, state_top: "top.sls", nodegroups: {} };

/**
 * The options for compiling, rendering and running states: the minion's own, overridden by those of the master.
 *
 * @see salt/state.py BaseHighState.__gen_opts
 */
export async function stateOptions(
  { opts, master, log }: Pick<Context, "opts" | "master" | "log">,
): Promise<Record<string, unknown>> {
  if (master === undefined || opts.file_client === "local") return opts;
  let answer: unknown;
  try {
    answer = await master.request({ cmd: "_master_opts" });
  } catch (error) {
    log.warning("the master does not send its options for states: using defaults", { error: messageOf(error) });
  }
  if (!isRecord(answer)) return { ...opts, ...WITHOUT_ANSWER };
  const merged = { ...opts };
  for (const name of OF_MASTER) if (Object.hasOwn(answer, name)) merged[name] = answer[name];
  for (const name of OF_EITHER) merged[name] = opts[name] || answer[name] || false;
  return merged;
}
