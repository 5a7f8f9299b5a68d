import type { MasterOpts } from "../../config/master_opts.ts";
import type { AccessRules, Permissions } from "./acl.ts";
import type { ClientKeys } from "./client_keys.ts";
import type { ExternalAuth } from "./external_auth.ts";
import type { Load } from "../load.ts";

/** By what somebody proves who they are. */
export type Proof = "user" | "token" | "eauth";

/** Somebody who calls a command in clear. */
export interface Caller {
  /** The name that the call goes by. */
  user: string;
  proof: Proof;
  /** What they may do; undefined for everything. */
  permissions: Permissions | undefined;
}

/** Salt's names of refusals. */
const ERROR_NAMES: Record<Proof, string> = {
  user: "UserAuthenticationError",
  token: "TokenAuthenticationError",
  eauth: "EauthAuthenticationError",
};

/** What a load would be believed by, as Salt picks it: a token before a password before the key of this host. */
export function proofOf(load: Load): Proof {
  return Object.hasOwn(load, "token") ? "token" : Object.hasOwn(load, "eauth") ? "eauth" : "user";
}

/** The answer to a caller who has not proven who they are, in Salt's words. */
export function unproven(load: Load): { error: { name: string; message: string } } {
  const proof = proofOf(load);
  const message = `Authentication failure of type "${proof}" occurred`;
  const name = typeof load.username === "string" ? load.username : "UNKNOWN";
  // Clients compare these sentences, which differ in their ends.
  const end = { user: "", token: ".", eauth: ` for user ${name}.` }[proof];
  return { error: { name: ERROR_NAMES[proof], message: message + end } };
}

/** The answer to a caller who may not do this, in Salt's words. */
export function notPermitted({ proof, user }: Caller): { error: { name: string; message: string } } {
  const message = `Authentication failure of type "${proof}" occurred for user ${user}.`;
  return { error: { name: ERROR_NAMES[proof], message } };
}

/** The fields that each proof is made of. */
const PROOFS: Record<Proof, readonly string[]> = {
  user: ["user", "key"],
  token: ["token"],
  eauth: ["eauth", "username", "password", "id_token"],
};
const CREDENTIAL_FIELDS = new Set(Object.values(PROOFS).flat());

/** A load without what proves something: none of that ever goes any further. */
export function withoutCredentials(load: Load): Load {
  return Object.fromEntries(Object.entries(load).filter(([name]) => !CREDENTIAL_FIELDS.has(name)));
}

/** A load without what it is believed by, and without the command: the rest may be arguments, whatever they are called. */
export function withoutProof(load: Load): Load {
  const own = PROOFS[proofOf(load)];
  return Object.fromEntries(Object.entries(load).filter(([name]) => name !== "cmd" && !own.includes(name)));
}

/** Finds out who calls. Every command that comes in clear asks it first, and nothing else does. */
export class Callers {
  readonly #opts: MasterOpts;
  readonly #clientKeys: ClientKeys;
  readonly #external: ExternalAuth;
  readonly #rules: AccessRules;

  constructor(opts: MasterOpts, clientKeys: ClientKeys, external: ExternalAuth, rules: AccessRules) {
    this.#opts = opts;
    this.#clientKeys = clientKeys;
    this.#external = external;
    this.#rules = rules;
  }

  /**
   * The caller; undefined if there is no proof.
   *
   * @param load where `token`, or `eauth`, `username` and `password` are; otherwise `user` and `key`
   */
  async identify(load: Load): Promise<Caller | undefined> {
    const proof = proofOf(load);
    if (proof === "user") return this.byKey(load.user, load.key);
    const known = proof === "token" ? await this.#external.byToken(load.token) : await this.#external.identify(load);
    return known && { user: known.name, proof, permissions: known.permissions };
  }

  /** A user of this host by the key in the master's cache directory; undefined if it is not theirs, or they may do nothing. */
  byKey(user: unknown, key: unknown): Caller | undefined {
    const who = this.#clientKeys.authenticate(user, key);
    if (who === undefined) return undefined;
    const { publisher_acl, sudo_acl } = this.#opts;
    const restricted = who.sudo ? sudo_acl && Object.keys(publisher_acl).length > 0 : !who.privileged;
    if (!restricted) return { user: who.user, proof: "user", permissions: undefined };
    const name = who.sudo ? who.user.slice("sudo_".length) : who.user;
    const permissions = this.#rules.ofLocalUser(publisher_acl, name);
    return permissions.length === 0 ? undefined : { user: who.user, proof: "user", permissions };
  }
}
