import type { HttpPeer } from "../../../runtime/http.ts";
import type { Identity } from "../auth/identity.ts";
import type { GuardedBackend } from "../backend/guarded_backend.ts";
import type { Body } from "../wire/body.ts";
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
  body: Body;
  /** Headers of the answer, by their usual spelling. */
  readonly headers: Record<string, string>;
  status: number;
  /** The user's name for the access log. */
  user: string | undefined;
}
