import { messageOf } from "../../../base/errors.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { stateOptions } from "../../../model/loader/state_options.ts";

/**
 * The environments that the top files of states, or else the master's `master_tops`, have anything in for this minion; base if there is
 * none, or no top file.
 */
export async function topEnvironments(context: JobContext): Promise<string[]> {
  const { log } = context;
  const { openStateCompiler } = await import("../../../content/state/compile/open_compiler.ts");
  const compiler = openStateCompiler({ ...context, opts: await stateOptions(context) });
  try {
    const top = await compiler.top();
    const found = top.size === 0 ? [] : [...(await compiler.topMatches(top)).keys()];
    return found.length === 0 ? ["base"] : found;
  } catch (error) {
    log.warning("the top file does not name environments to sync from, using base", { error: messageOf(error) });
    return ["base"];
  }
}
