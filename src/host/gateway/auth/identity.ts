import type { TokenRecord } from "../../../client/tokens.ts";
import type { EndListeners } from "./end_listeners.ts";
import type { Session } from "./sessions.ts";
import type { Family } from "./token_families.ts";

/** An authenticated caller, with what it presented. */
export interface Identity {
  /** The eauth token that the master knows this caller by. */
  readonly record: TokenRecord;
  /** Only for callers with a session id; JSON Web Tokens and API keys have none. */
  readonly session?: Session;
  /** Only for JSON Web Tokens: the login that the token belongs to. */
  readonly family?: Family;
  /** Called when the session or login ends, so that streams opened with it end too. */
  readonly endListeners?: EndListeners;
  /** What an API key may do; undefined means no limit beyond the user's own permissions. */
  readonly scopes?: readonly string[];
}
