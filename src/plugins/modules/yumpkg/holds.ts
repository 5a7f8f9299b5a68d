/** Packages that keep their version, by the plugin versionlock. */
import { type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, entriesOf, isMap, str, truthy } from "../../../language/python/values.ts";
import { checkHeld } from "../../packages/shared_functions.ts";
import { splitLines } from "../../../language/python/text.ts";
import { run } from "../../commands.ts";
import { installedRpms } from "../../packages/rpm/installed.ts";
import { callYum, isDnf, needYum } from "./program.ts";

function pluginOf(context: JobContext): string {
  const { os, osrelease, osmajorrelease } = context.grains;
  if (needYum(context) === "tdnf") throw new SaltInvocationError("Cannot proceed, no versionlock for tdnf");
  if (!isDnf(context)) return Number(osmajorrelease) === 5 ? "yum-versionlock" : "yum-plugin-versionlock";
  if (str(os).toLowerCase() === "fedora") {
    return Number(osrelease) >= 26 ? "python3-dnf-plugin-versionlock" : "python3-dnf-plugins-extras-versionlock";
  }
  return Number(osmajorrelease) >= 8 ? "python3-dnf-plugin-versionlock" : "python2-dnf-plugin-versionlock";
}

const NAME = "[\\w+]+(?:[.-][^-]+)*";

/** The package in a line of the plugin's list, with its version or without. */
function lockOf(context: JobContext, line: string, full: boolean, pattern = NAME): string | undefined {
  const epoch = isDnf(context) ? "" : "\\d+:";
  const match = new RegExp(full ? `(${epoch}${pattern}-\\S+)` : `${epoch}(${pattern}-\\S+)`).exec(line)?.[1];
  if (match === undefined || full) return match;
  const without = (text: string, sign: string) => text.includes(sign) ? text.slice(0, text.lastIndexOf(sign)) : text;
  return without(without(without(match, "."), "-"), "-");
}

export async function listHolds(
  context: JobContext,
  { full = true, pattern }: { full?: boolean; pattern?: string },
): Promise<string[]> {
  const plugin = pluginOf(context);
  if (needYum(context) !== "dnf5" && (await installedRpms(context))[plugin] === undefined) {
    throw new SaltInvocationError(`Cannot proceed, ${plugin} is not installed.`);
  }
  const lines = splitLines(await run(context, [needYum(context), "versionlock", "list"]));
  return lines.map((line) => lockOf(context, line, full, pattern)).filter((one) => one !== undefined);
}

/** `pkg.hold` and `pkg.unhold`. */
export async function yumHold(context: JobContext, args: Args, wanted: boolean): Promise<Record<string, unknown>> {
  checkHeld(args);
  const given = truthy(args.pkgs) ? args.pkgs : truthy(args.sources) ? args.sources : [args.name];
  // A map of names to versions is as good as a list of such maps.
  const items = isMap(given) ? entriesOf(given).map(([name]) => name) : given as unknown[];
  const names = items.map((one) => str(isMap(one) ? entriesOf(one)[0]![0] : one));
  const yum = needYum(context) === "yum";
  const locks = await listHolds(context, { full: !wanted && yum });
  const found: Record<string, unknown> = {};
  for (const name of names) {
    const own = locks.filter((lock) => (!wanted && yum ? lockOf(context, lock, false) : lock) === name);
    const result = (ok: boolean | null, comment: string, changes: Args = {}) => {
      found[name] = { name, changes, result: ok, comment: `Package ${name} ${comment}` };
    };
    if ((own.length > 0) === wanted) {
      result(true, wanted ? "is already set to be held." : "is not being held.");
    } else if (context.opts.test === true) result(null, `is set to be ${wanted ? "held" : "unheld"}.`);
    else {
      const { retcode } = await callYum(context, ["versionlock", ...(wanted ? ["add", name] : ["delete", ...own])]);
      if (retcode !== 0) result(false, `was unable to be ${wanted ? "held" : "unheld"}.`);
      else if (wanted) result(true, "is now being held.", { new: "hold", old: "" });
      else result(true, "is no longer held.", { new: "", old: "hold" });
    }
  }
  return found;
}
