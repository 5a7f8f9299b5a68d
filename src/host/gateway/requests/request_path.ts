/** The rules of a flavour for paths. */
export interface PathRules {
  /** True if `//login` means `/login`. */
  collapseSlashes: boolean;
  /** True if `/login/` means `/login`. */
  ignoreTrailingSlash: boolean;
}

/**
 * The path of a URL in the form of the routes table.
 *
 * @param rootPrefix where the gateway is mounted, without slashes around it; `""` at the root
 */
export function requestPath(url: string, rules: PathRules, rootPrefix: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const end = /[?#]/.exec(url.slice(start))?.index;
  let path = start < 0 ? "/" : url.slice(start, end === undefined ? undefined : start + end);
  if (rules.collapseSlashes) path = path.replace(/\/{2,}/g, "/");
  if (rootPrefix !== "" && (path === `/${rootPrefix}` || path.startsWith(`/${rootPrefix}/`))) {
    path = path.slice(rootPrefix.length + 1) || "/";
  }
  return rules.ignoreTrailingSlash && path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** A path for the log: shortened, and without parts that could be tokens. */
export function loggablePath(path: string): string {
  return path.slice(0, 200).replace(/[0-9a-f]{32,}/gi, "…");
}
