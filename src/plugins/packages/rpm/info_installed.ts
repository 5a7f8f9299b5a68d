import type { JobContext } from "../../../model/loader/family.ts";
import { entriesOf, isMap, truthy } from "../../../language/python/values.ts";

/** Details of installed packages, as `pkg.info_installed` has them: with `source` for `source_rpm`. */
export async function infoInstalled(
  context: JobContext,
  names: string[],
  kwargs: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const found = await context.call("lowpkg.info", names, kwargs) as Record<string, unknown>;
  const renamed = (one: unknown) =>
    isMap(one)
      ? Object.fromEntries(entriesOf(one).map(([key, value]) => [key === "source_rpm" ? "source" : key, value]))
      : one;
  return Object.fromEntries(
    Object.entries(found).map(([name, of]) => [
      name,
      truthy(kwargs.all_versions) ? (of as unknown[]).map(renamed) : renamed(of),
    ]),
  );
}
