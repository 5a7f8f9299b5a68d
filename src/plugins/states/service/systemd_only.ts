import type { Context } from "../../../model/loader/family.ts";
import { isDirectory } from "../../linux/paths.ts";

const ARGUMENTS = ["no_block", "unmask", "unmask_runtime"] as const;

export const isSystemd = (context: Pick<Context, "runtime">): boolean =>
  isDirectory(context.runtime.fs, "/run/systemd/system");

/** Those of a state's arguments that systemd alone understands, if it runs here and the function takes them. */
export async function systemdArguments(
  context: Pick<Context, "runtime" | "functions">,
  fun: string,
  kwargs: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const found = await context.functions.find(fun);
  if (!isSystemd(context) || !("signature" in found)) return {};
  const taken = new Set(found.signature.params.map(({ name }) => name));
  return Object.fromEntries(
    ARGUMENTS.filter((name) => taken.has(name) && Object.hasOwn(kwargs, name)).map((name) => [name, kwargs[name]]),
  );
}
