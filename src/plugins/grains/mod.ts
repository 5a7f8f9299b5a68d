/** The grains: facts about a host, gathered by functions in the order given here and from what its operator set. */
import { messageOf } from "../../errors.ts";
import type { Context } from "../../loader/context.ts";
import type { GrainsFunction } from "../../loader/family.ts";
import { isMap } from "../../python/containers.ts";

/** Files of grains: each is merged over those before. */
const GRAINS: Record<string, () => Promise<{ grains: GrainsFunction }>> = {
  core: () => import("./core.ts"),
};

/** Every grain of this host. A function that fails is named in the log; the others count. */
export async function gatherGrains(
  context: Pick<Context, "runtime" | "log" | "opts">,
): Promise<Record<string, unknown>> {
  const facts: Record<string, unknown> = {};
  for (const [name, load] of Object.entries(GRAINS)) {
    try {
      Object.assign(facts, await (await load()).grains(context));
    } catch (error) {
      context.log.error("grains not gathered", { file: name, error: messageOf(error) });
    }
  }
  if (isMap(context.opts.grains)) Object.assign(facts, context.opts.grains);
  return facts;
}
