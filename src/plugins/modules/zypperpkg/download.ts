/** Packages as files: `pkg.download` and `pkg.diff`. */
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { exists } from "../../linux/paths.ts";
import { elementsOf } from "../../xml.ts";
import { zypperRefresh } from "./available.ts";
import { askZypper } from "./program.ts";

/** `pkg.download`: package → its repository and file. */
export async function zypperDownload(context: JobContext, packages: string[], kwargs: Args): Promise<Args> {
  if (packages.length === 0) throw new SaltInvocationError("No packages specified");
  const { root = null } = kwargs;
  if (truthy(kwargs.refresh)) await zypperRefresh(context, { root });
  const found: Args = {};
  const said = await askZypper(context, ["download", ...packages], { root });
  for (const result of elementsOf(said, "download-result")) {
    const { name, alias } = elementsOf(result, "repository")[0]?.attributes ?? {};
    const path = elementsOf(result, "localfile")[0]?.attributes.path ?? "";
    const own = elementsOf(result, "name")[0]?.text ?? "";
    if (!truthy(await context.call("lowpkg.checksum", [path], { root }))) continue;
    found[own] = { "repository-name": name ?? "", "repository-alias": alias ?? "", path };
  }
  if (Object.keys(found).length === 0) {
    throw new CommandExecutionError(`Unable to download packages: ${packages.join(", ")}`);
  }
  const failed = packages.filter((name) => !Object.hasOwn(found, name));
  if (failed.length > 0) found._error = `The following package(s) failed to download: ${failed.join(", ")}`;
  return found;
}

/** `pkg.diff`: what was changed of each file since its package had it. */
export async function zypperDiff(context: JobContext, paths: string[], kwargs: Args): Promise<Args> {
  const found: Args = {};
  const owners = new Map<string, string[]>();
  for (const path of paths) {
    const owner = await context.call("lowpkg.owner", [path], kwargs);
    if (!truthy(owner)) found[path] = exists(context.runtime.fs, path) ? "Not managed" : "N/A";
    else owners.set(str(owner), [...owners.get(str(owner)) ?? [], path]);
  }
  if (owners.size === 0) return found;
  const files = await zypperDownload(context, [...owners.keys()], kwargs);
  for (const [name, own] of owners) {
    const file = files[name] as { path: string } | undefined;
    if (file === undefined) throw new CommandExecutionError(str(files._error));
    for (const path of own) {
      const changed = await context.call("lowpkg.diff", [file.path, path]);
      found[path] = truthy(changed) ? changed : "Unchanged";
    }
  }
  return found;
}
