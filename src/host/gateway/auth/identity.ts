import type { TokenRecord } from "../../../client/tokens.ts";
import type { EndListeners, Family } from "./token_families.ts";
import type { Session } from "./sessions.ts";

/** An authenticated caller, with its credential. */
export interface Identity {
  /** The eauth token that the master knows this caller by. */
  readonly record: TokenRecord;
  /** The session of a caller with a session id; JSON Web Tokens and API keys have none. */
  readonly session?: Session;
  /** The login of a JSON Web Token; undefined for other credentials. */
  readonly family?: Family;
  /** Called when the session or login ends, so that streams opened with it end too. */
  readonly endListeners?: EndListeners;
  /** The scopes of an API key; undefined means no limit beyond the user's own permissions. */
  readonly scopes?: readonly string[];
}
