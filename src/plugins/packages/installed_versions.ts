import type { JobContext } from "../../model/loader/family.ts";
import { compileGlob } from "../../language/python/glob.ts";
import { isTrue } from "../../language/python/values.ts";
import { stringify } from "./lists.ts";

/** The installed versions of packages, which may be globs: of one package its version alone, otherwise by name. */
export async function installedVersions(
  context: Pick<JobContext, "call">,
  names: readonly string[],
  { versions_as_list: asList = false, ...keyword }: Record<string, unknown> = {},
): Promise<unknown> {
  const found: Record<string, string[]> = {};
  if (names.length > 0) {
    const pkgs = await context.call("pkg.list_pkgs", [], { versions_as_list: true, ...keyword }) as typeof found;
    for (const name of names) {
      const fits = name.includes("*") ? Object.keys(pkgs).filter(compileGlob(name)) : [name];
      for (const one of fits) found[one] = pkgs[one] ?? [];
    }
  }
  const shown: Record<string, unknown> = isTrue(asList) ? found : stringify(found);
  const values = Object.values(shown);
  return values.length === 1 && !names.some((name) => name.includes("*")) ? values[0] : shown;
}
