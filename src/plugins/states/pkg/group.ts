/** The state `pkg.group_installed`. */
import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";
import { fail, hasFunction, outcome, type StateContext, stateFunction } from "../../../model/loader/states.ts";
import { str, truthy } from "../../../language/python/values.ts";
import { commandError, failsChange } from "../outcome.ts";
import { entry, type PackageKeyword } from "./host.ts";
import { ownKeywords } from "../../keywords.ts";

type Part = Record<"installed" | "not installed", string[]>;
type Difference = Record<"mandatory" | "default" | "optional", Part>;

async function difference(context: StateContext, name: unknown, keyword: PackageKeyword): Promise<Difference> {
  try {
    return await context.call("pkg.group_diff", [name], ownKeywords(keyword)) as Difference;
  } catch (error) {
    if (!(error instanceof CommandExecutionError || error instanceof TypeError)) throw error;
    if (messageOf(error).includes("unexpected keyword argument")) {
      fail("Repo options are not supported on this platform");
    }
    const text = error instanceof CommandExecutionError ? commandError(error) : messageOf(error);
    fail(`An error was encountered while installing/updating group '${name}': ${text}.`);
  }
}

export const groupInstalled = stateFunction({
  signature: "name, skip=None, include=None, **kwargs",
  doc: "The packages of a group are installed.",
  async run(context, args) {
    const { name, kwargs: keyword } = args;
    if (!await hasFunction(context, "pkg.group_diff")) fail("pkg.group_install not available for this platform");
    for (const key of ["skip", "include"] as const) {
      if (args[key] !== null && !Array.isArray(args[key])) fail(`${key} must be formatted as a list`);
    }
    const skip = ((args.skip ?? []) as unknown[]).map(str);
    const include = ((args.include ?? []) as unknown[]).map(str);
    const { mandatory, default: usual, optional } = await difference(context, name, keyword);
    const needed = [...mandatory.installed, ...mandatory["not installed"]].filter((pkg) => skip.includes(pkg));
    if (needed.length > 0) fail(`The following mandatory packages cannot be skipped: ${needed.join(", ")}`);
    const required = [...mandatory["not installed"], ...include];
    const targets = [
      ...mandatory["not installed"],
      ...usual["not installed"].filter((pkg) => !skip.includes(pkg)),
      ...include,
    ];
    if (targets.length === 0) return outcome(name, true, `Group '${name}' is already installed`);
    const partially = [mandatory, usual, optional].some(({ installed }) => truthy(installed));
    if (context.test) {
      const will = partially ? "is partially installed and will be updated" : "will be installed";
      return outcome(name, null, `Group '${name}' ${will}`);
    }
    const changes = await context.call("pkg.install", [], { pkgs: targets, ...keyword }).catch(
      failsChange(`installing/updating group '${name}'`),
    ) as PackageKeyword;
    const installed = await context.call("pkg.list_pkgs", [], keyword);
    const missing = required.filter((pkg) => entry(installed, pkg) === undefined);
    if (missing.length > 0) {
      return outcome(name, false, `Failed to install the following packages: ${missing.join(", ")}`, changes);
    }
    return outcome(name, true, `Group '${name}' was ${partially ? "updated" : "installed"}`, changes);
  },
});
