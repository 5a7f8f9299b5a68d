/** The file in the minion's cache by which the first state of a run refreshes the lists of packages, and no later one. */
import { joinPath } from "../../base/paths.ts";
import type { Context } from "../../model/loader/family.ts";
import { isTrue, str } from "../../language/python/values.ts";
import { isFile } from "../linux/paths.ts";

type Host = Pick<Context, "runtime" | "opts">;

const pathOf = ({ opts }: Host): string | undefined =>
  typeof opts.cachedir === "string" ? joinPath(str(opts.cachedir), "pkg_refresh") : undefined;

export function writeRefreshTag(context: Host): void {
  const path = pathOf(context);
  if (path === undefined || isFile(context.runtime.fs, path)) return;
  context.runtime.fs.mkdir(str(context.opts.cachedir), 0o755);
  context.runtime.fs.write(path, "");
}

export function clearRefreshTag(context: Host): void {
  const path = pathOf(context);
  if (path !== undefined) context.runtime.fs.remove(path);
}

/** Whether to refresh: yes if it is asked for, no if it is refused, and otherwise once in a run. */
export function shallRefresh(context: Host, refresh: unknown): boolean {
  if (isTrue(refresh)) return true;
  const path = pathOf(context);
  return refresh !== false && path !== undefined && isFile(context.runtime.fs, path);
}
