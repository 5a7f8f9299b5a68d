import type { MinionOpts } from "../../model/config/minion_opts.ts";
import { messageOf } from "../../base/errors.ts";
import { newJid } from "../../model/job/jid.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Execution } from "./processes/execution.ts";

export interface MineOptions {
  runtime: Runtime;
  opts: MinionOpts;
  log: Logger;
  execution: Execution;
  pillar(): Record<string, unknown>;
}

/** Sends the functions that the configuration or the pillar names for the mine to every connected master; never rejects. */
export async function updateMine(
  { runtime: { clock }, opts, log, execution, pillar }: MineOptions,
  signal: AbortSignal,
): Promise<void> {
  if (!opts.mine_enabled || signal.aborted) return;
  if ((opts.mine_functions ?? pillar().mine_functions ?? null) === null) return;
  try {
    const { return: value, success } = await execution.run({
      load: { fun: "mine.update", arg: [], jid: newJid(clock) },
      signal,
      ownProcess: () => {},
      output: undefined,
    });
    if (success === false) log.error("the mine could not be updated", { reason: value });
  } catch (error) {
    if (!signal.aborted) log.error("the mine could not be updated", { error: messageOf(error) });
  }
}
