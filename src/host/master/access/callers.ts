import type { MasterOpts } from "../../../model/config/master_opts.ts";
import type { AccessRules, Permissions } from "./acl.ts";
import type { ClientKeys } from "./client_keys.ts";
import type { ExternalAuth, Login } from "./external_auth.ts";
import { isRecord, type Load } from "../load.ts";

/** How a caller is authenticated: the key of a user of this host, a token, or external authentication. */
type Proof = "user" | "token" | "eauth";

/** The authenticated caller of a clear command. */
export interface Caller {
  user: string;
  proof: Proof;
  /** What the caller may do; undefined if everything is permitted. */
  permissions: Permissions | undefined;
  /** How a user of external authentication has logged in. */
  login?: Login;
  /** The reaction that the call is from: the reactor of this master calls with the key of the master's user. */
  reaction?: CallingReaction;
}

export interface CallingReaction {
  tag: string;
  sls: string;
  id: string;
}

/** The user under which runners and wheel functions of reactions run: Salt's reactor ignores events of this user. */
const REACTOR_USER = "Reactor";

/** Returns the reaction that a load says it is from; undefined if it names none. */
function reactionOf({ __origin__: origin }: Load): CallingReaction | undefined {
  const { reaction } = isRecord(origin) ? origin : {};
  if (!isRecord(reaction)) return undefined;
  const { tag, sls, id } = reaction;
  return typeof tag === "string" && typeof sls === "string" && typeof id === "string" ? { tag, sls, id } : undefined;
}

/** Returns the user under which the runners and wheel functions of a caller run. */
export function masterUser({ user, reaction }: Caller): string {
  return reaction === undefined ? user : REACTOR_USER;
}

/** Salt's names of refusals. */
const ERROR_NAMES: Record<Proof, string> = {
  user: "UserAuthenticationError",
  token: "TokenAuthenticationError",
  eauth: "EauthAuthenticationError",
};

/** Returns which credentials of a load count, in Salt's order: a token, then a password, then the key of this host. */
export function proofOf(load: Load): Proof {
  return Object.hasOwn(load, "token") ? "token" : Object.hasOwn(load, "eauth") ? "eauth" : "user";
}

/** Returns the answer to a caller that is not authenticated, in Salt's words. */
export function unproven(load: Load): { error: { name: string; message: string } } {
  const proof = proofOf(load);
  const message = `Authentication failure of type "${proof}" occurred`;
  const name = typeof load.username === "string" ? load.username : "UNKNOWN";
  // Salt's clients compare these sentences, whose ends differ by the kind of credentials.
  const end = { user: "", token: ".", eauth: ` for user ${name}.` }[proof];
  return { error: { name: ERROR_NAMES[proof], message: message + end } };
}

/** Returns the answer to a caller without permission, in Salt's words. */
export function notPermitted({ proof, user }: Caller): { error: { name: string; message: string } } {
  const message = `Authentication failure of type "${proof}" occurred for user ${user}.`;
  return { error: { name: ERROR_NAMES[proof], message } };
}

/** The fields of a load that hold each kind of credentials. */
const PROOFS: Record<Proof, readonly string[]> = {
  user: ["user", "key"],
  token: ["token"],
  eauth: ["eauth", "username", "password", "id_token"],
};
const CREDENTIAL_FIELDS = new Set(Object.values(PROOFS).flat());

/** Returns a load without any credentials: no other part of the master gets them. */
export function withoutCredentials(load: Load): Load {
  return Object.fromEntries(Object.entries(load).filter(([name]) => !CREDENTIAL_FIELDS.has(name)));
}

/** Returns a load without the credentials that count and without the command: all other fields may be arguments, whatever their names. */
export function withoutProof(load: Load): Load {
  const own = PROOFS[proofOf(load)];
  return Object.fromEntries(
    Object.entries(load).filter(([name]) => name !== "cmd" && name !== "__origin__" && !own.includes(name)),
  );
}

const SUDO = "sudo_";

/** Authenticates callers; every clear command does so before anything else. */
export class Callers {
  readonly #opts: MasterOpts;
  readonly #clientKeys: ClientKeys;
  readonly #external: ExternalAuth;
  readonly #rules: AccessRules;
  /** The authenticated caller of each load, kept as long as the load is. */
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
    // Only callers with all permissions may say that they call for a reaction.
    const reaction = proof === "user" && found.permissions === undefined ? reactionOf(load) : undefined;
    const caller = reaction === undefined ? found : { ...found, reaction };
    this.#found.set(load, caller);
    return caller;
  }

  /** Returns the caller that {@link Callers.identify} has found for a load; undefined if it was not called or found none. */
  identified(load: Load): Caller | undefined {
    return this.#found.get(load);
  }

  async #byLogin(load: Load, proof: "token" | "eauth"): Promise<Caller | undefined> {
    const known = proof === "token" ? await this.#external.byToken(load.token) : await this.#external.identify(load);
    return known && { user: known.name, proof, permissions: known.permissions, login: known.login };
  }

  /** Authenticates a user of this host by the key in the master's cache directory; undefined if the key is wrong or nothing is permitted. */
  byKey(user: unknown, key: unknown): Caller | undefined {
    const who = this.#clientKeys.authenticate(user, key);
    if (who === undefined) return undefined;
    if (who.privileged && !this.#isRestrictedSudo(who.sudo)) {
      return { user: who.user, proof: "user", permissions: undefined };
    }
    const permissions = this.#ofName(who.user);
    return permissions.length === 0 ? undefined : { user: who.user, proof: "user", permissions };
  }

  /** Returns what a user of this host, who called earlier, may do now; undefined if nothing is permitted any more. */
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
