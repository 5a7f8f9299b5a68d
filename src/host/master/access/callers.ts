import type { MasterOpts } from "../../../model/config/master_opts.ts";
import type { AccessRules, Permissions } from "./acl.ts";
import type { ClientKeys } from "./client_keys.ts";
import type { ExternalAuth, Login } from "./external_auth.ts";
import { isRecord, type Load } from "../load.ts";

/** How a caller is authenticated: the key of a user of this host, a token, or external authentication. */
export type Proof = "user" | "token" | "eauth";

/** The authenticated caller of a clear command. */
export interface Caller {
  /** The user that the call runs as. */
  user: string;
  proof: Proof;
  /** Undefined if everything is permitted. */
  permissions: Permissions | undefined;
  /** How a user of external authentication has logged in. */
  login?: Login;
  /** The reaction that calls: the reactor of this master has the key of its user. */
  reaction?: CallingReaction;
}

/** The reaction of an event, as the reactor names it. */
export interface CallingReaction {
  tag: string;
  sls: string;
  id: string;
}

/** The user of what the reactor calls in the master itself: Salt's reactor leaves out events of this user. */
const REACTOR_USER = "Reactor";

/** The reaction that a load says it is from; undefined if it says none. */
function reactionOf({ __origin__: origin }: Load): CallingReaction | undefined {
  const { reaction } = isRecord(origin) ? origin : {};
  if (!isRecord(reaction)) return undefined;
  const { tag, sls, id } = reaction;
  return typeof tag === "string" && typeof sls === "string" && typeof id === "string" ? { tag, sls, id } : undefined;
}

/** The user by which runners and wheel functions of a caller go. */
export function masterUser({ user, reaction }: Caller): string {
  return reaction === undefined ? user : REACTOR_USER;
}

/** Salt's names of refusals. */
const ERROR_NAMES: Record<Proof, string> = {
  user: "UserAuthenticationError",
  token: "TokenAuthenticationError",
  eauth: "EauthAuthenticationError",
};

/** The proof that counts in a load, in Salt's order: a token, then a password, then the key of this host. */
export function proofOf(load: Load): Proof {
  return Object.hasOwn(load, "token") ? "token" : Object.hasOwn(load, "eauth") ? "eauth" : "user";
}

/** The answer to a caller that is not authenticated, in Salt's words. */
export function unproven(load: Load): { error: { name: string; message: string } } {
  const proof = proofOf(load);
  const message = `Authentication failure of type "${proof}" occurred`;
  const name = typeof load.username === "string" ? load.username : "UNKNOWN";
  // Clients compare these sentences, which differ in their ends.
  const end = { user: "", token: ".", eauth: ` for user ${name}.` }[proof];
  return { error: { name: ERROR_NAMES[proof], message: message + end } };
}

/** The answer to a caller without permission, in Salt's words. */
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

/** A load without any credentials: they are passed on to no other part. */
export function withoutCredentials(load: Load): Load {
  return Object.fromEntries(Object.entries(load).filter(([name]) => !CREDENTIAL_FIELDS.has(name)));
}

/** A load without the credentials that count and without the command: the rest may be arguments, whatever their names. */
export function withoutProof(load: Load): Load {
  const own = PROOFS[proofOf(load)];
  return Object.fromEntries(
    Object.entries(load).filter(([name]) => name !== "cmd" && name !== "__origin__" && !own.includes(name)),
  );
}

const SUDO = "sudo_";

/** Authenticates callers. Every clear command asks it first. */
export class Callers {
  readonly #opts: MasterOpts;
  readonly #clientKeys: ClientKeys;
  readonly #external: ExternalAuth;
  readonly #rules: AccessRules;
  /** Whom a load was found to be from, as long as the load is there. */
  readonly #found = new WeakMap<Load, Caller>();

  constructor(opts: MasterOpts, clientKeys: ClientKeys, external: ExternalAuth, rules: AccessRules) {
    this.#opts = opts;
    this.#clientKeys = clientKeys;
    this.#external = external;
    this.#rules = rules;
  }

  /**
   * The authenticated caller; undefined if there is none.
   *
   * @param load where `token`, or `eauth`, `username` and `password` are; otherwise `user` and `key`
   */
  async identify(load: Load): Promise<Caller | undefined> {
    const proof = proofOf(load);
    const found = proof === "user" ? this.byKey(load.user, load.key) : await this.#byLogin(load, proof);
    if (found === undefined) return undefined;
    // A reaction is believed only from callers with all permissions.
    const reaction = proof === "user" && found.permissions === undefined ? reactionOf(load) : undefined;
    const caller = reaction === undefined ? found : { ...found, reaction };
    this.#found.set(load, caller);
    return caller;
  }

  /** The caller that {@link Callers.identify} has found for this load; undefined if it was not asked, or found none. */
  identified(load: Load): Caller | undefined {
    return this.#found.get(load);
  }

  async #byLogin(load: Load, proof: "token" | "eauth"): Promise<Caller | undefined> {
    const known = proof === "token" ? await this.#external.byToken(load.token) : await this.#external.identify(load);
    return known && { user: known.name, proof, permissions: known.permissions, login: known.login };
  }

  /** A user of this host by the key in the master's cache directory; undefined if the key is wrong, or nothing is permitted. */
  byKey(user: unknown, key: unknown): Caller | undefined {
    const who = this.#clientKeys.authenticate(user, key);
    if (who === undefined) return undefined;
    if (who.privileged && !this.#isRestrictedSudo(who.sudo)) {
      return { user: who.user, proof: "user", permissions: undefined };
    }
    const permissions = this.#ofName(who.user);
    return permissions.length === 0 ? undefined : { user: who.user, proof: "user", permissions };
  }

  /** What a user of this host may do now that could call before; undefined for nothing. */
  ofLocalUser(user: string): { permissions: Permissions | undefined } | undefined {
    if (user.startsWith(SUDO)) {
      if (!this.#isRestrictedSudo(true)) return { permissions: undefined };
    } else if (!this.#clientKeys.has(user)) return undefined;
    const permissions = this.#ofName(user);
    return permissions.length === 0 ? undefined : { permissions };
  }

  #isRestrictedSudo(sudo: boolean): boolean {
    const { publisher_acl, sudo_acl } = this.#opts;
    return sudo && sudo_acl && Object.keys(publisher_acl).length > 0;
  }

  #ofName(user: string): Permissions {
    const name = user.startsWith(SUDO) ? user.slice(SUDO.length) : user;
    return this.#rules.ofLocalUser(this.#opts.publisher_acl, name);
  }
}
