import type { JobContext } from "../../../model/loader/family.ts";
import { str } from "../../../language/python/values.ts";
import { splitSls } from "./state_call.ts";

const GRAIN = "state_runs_disabled";

async function disabledNames(context: JobContext): Promise<string[]> {
  const names = await context.call("grains.get", [GRAIN]);
  return Array.isArray(names) ? names.map(str) : [];
}

/** Why some of these names must not be run, in Salt's words. */
export async function disabledBy(context: JobContext, names: readonly unknown[]): Promise<string[]> {
  const disabled = await disabledNames(context);
  return names.map(str).flatMap((name) =>
    disabled.flatMap((pattern) => {
      if (pattern.includes(".*")) {
        return name.startsWith(`${pattern.split(".")[0]}.`)
          ? [
            `The state file "${name}" is currently disabled by "${pattern}", to re-enable, run state.enable ${pattern}.`,
          ]
          : [];
      }
      return pattern === name
        ? [`The state file "${name}" is currently disabled, to re-enable, run state.enable ${name}.`]
        : [];
    })
  );
}

/** Adds names to those that must not be run, or takes them out. */
export async function setDisabled(
  context: JobContext,
  states: unknown,
  disable: boolean,
): Promise<{ res: true; msg: string }> {
  const names = await disabledNames(context);
  const lines: string[] = [];
  let changed = false;
  for (const name of splitSls(states).map(str)) {
    const at = names.indexOf(name);
    const word = disable ? "disabled" : "enabled";
    if (at >= 0 === disable) {
      lines.push(`Info: ${name} state already ${word}.`);
      continue;
    }
    lines.push(`Info: ${name} state ${word}.`);
    if (disable) names.push(name);
    else names.splice(at, 1);
    changed = true;
  }
  if (changed) await context.call("grains.setval", [GRAIN, names]);
  await context.call("saltutil.refresh_modules");
  return { res: true, msg: lines.join("\n") };
}

/** The names that must not be run, as the grain has them. */
export const listDisabled = (context: JobContext): Promise<unknown> => context.call("grains.get", [GRAIN]);
