import type { JobContext } from "../model/loader/family.ts";
import { str, truthy } from "../language/python/values.ts";
import { exists } from "./linux/paths.ts";

/** The scheme of an address, in lower case; empty for a path. */
export function schemeOf(source: string): string {
  return /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(source)?.[1]?.toLowerCase() ?? "";
}

/** The path that a `file://` address or a path means. */
export function localPath(source: string): string {
  return source.replace(/^file:\/\//i, "");
}

/**
 * The path of a source on this minion, or undefined: what is here is its own copy, anything else `cp.cache_file` fetches.
 *
 * @param args `saltenv`, `source_hash`, `verify_ssl` and `use_etag`, as functions take them
 */
export async function cachedSource(
  context: JobContext,
  source: string,
  args: Record<string, unknown> = {},
): Promise<string | undefined> {
  const path = localPath(source);
  if (path.startsWith("/")) return exists(context.runtime.fs, path) ? path : undefined;
  const file = await context.call("cp.cache_file", [source, args.saltenv ?? "base"], {
    source_hash: args.source_hash ?? null,
    verify_ssl: args.verify_ssl ?? true,
    use_etag: args.use_etag ?? false,
  });
  return truthy(file) ? str(file) : undefined;
}
