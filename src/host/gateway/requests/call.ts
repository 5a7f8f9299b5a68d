import type { HttpPeer } from "../../../runtime/http.ts";
import type { Identity } from "../auth/permissions.ts";
import type { GuardedBackend } from "../backend/guarded_backend.ts";
import type { RequestBody } from "../wire/body.ts";
import type { Services } from "./shared_services.ts";

/** One request in progress, with the parts of its answer that are known so far. */
export interface Call {
  readonly services: Services;
  readonly request: Request;
  readonly peer: HttpPeer;
  /** The master, as the caller of this request may use it. */
  readonly backend: GuardedBackend;
  /** Tokens that were verified during this request. */
  readonly proven: Set<string>;
  /** The path without the mount and, if the flavour ignores them, without doubled slashes and the slash at the end. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parameters of the route's path, decoded. */
  readonly params: Record<string, string>;
  /** The caller; undefined until it is authenticated, and for anonymous callers. */
  identity: Identity | undefined;
  body: RequestBody;
  /** Headers of the answer, by their usual spelling. */
  readonly headers: Record<string, string>;
  status: number;
  /** The user's name for the access log. */
  user: string | undefined;
}

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
