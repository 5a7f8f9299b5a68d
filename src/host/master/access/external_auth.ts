import { MAX_PASSWORD_BYTES } from "../../../protocol/crypto/unix_crypt.ts";
import type { Clock } from "../../../base/async/clock.ts";
import { Pool } from "../../../base/async/pool.ts";
import { Slices } from "../../../base/async/slices.ts";
import { codeOf, messageOf } from "../../../base/errors.ts";
import type { EauthContext, EauthIdentity, EauthModule, EauthRegistry } from "../../../model/loader/eauth.ts";
import type { Logger } from "../../../base/log.ts";
import type { MasterOpts } from "../../../model/config/master_opts.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import type { AccessRules, Permissions } from "./acl.ts";
import { isRecord, type Load } from "../load.ts";
import type { Token, TokenFiles } from "./tokens.ts";

/** The most refusals that are delayed at a time; further refusals are answered at once. */
const MAX_WAITING = 1000;
/** The most logins that backends check at a time, each with a process or a connection, and the most logins that wait for their turn. */
const ASKED_AT_ONCE = 16;
const MAX_QUEUED = 256;
/** The most bytes of a password that any backend takes: the token of an OpenID provider is the longest. */
const MAX_CREDENTIAL_BYTES = 16_384;

/** Returns the number of UTF-8 bytes of a text. A text that is far too long is not encoded to be counted. */
function bytesOf(text: string): number {
  return text.length > MAX_CREDENTIAL_BYTES ? text.length : new TextEncoder().encode(text).length;
}

/** A user that a backend has authenticated, with the user's permissions by the configuration. */
interface KnownUser {
  name: string;
  eauth: string;
  groups: readonly string[];
  permissions: Permissions;
  login: Login;
}

/** How a user has logged in: with it the master checks later what the user may still do. */
export interface Login {
  eauth: string;
  groups: readonly string[];
  /** Permissions that the backend granted, beside those of the configuration. */
  granted?: Permissions;
  token?: { sha256: string; expire: number };
}

interface ExternalAuthOptions {
  runtime: Runtime;
  log: Logger;
  opts: MasterOpts;
  tokens: TokenFiles;
  rules: AccessRules;
  backends: EauthRegistry;
}

/**
 * External authentication: users are authenticated by a backend that `external_auth` names, or by a token that was issued after
 * that.
 *
 * @see salt/auth/__init__.py LoadAuth
 */
export class ExternalAuth {
  readonly #options: ExternalAuthOptions;
  readonly #clock: Clock;
  /** How long the slowest refusal has taken, in milliseconds: all refusals are delayed to about this, so that their time reveals nothing. */
  #slowestMs = 1000;
  #waiting = 0;
  readonly #asking = new Pool(ASKED_AT_ONCE);
  #queued = 0;
  readonly #slices: Slices;

  constructor(options: ExternalAuthOptions) {
    this.#options = options;
    this.#slices = new Slices((callback) => options.runtime.later(callback));
    this.#clock = options.runtime.clock;
  }

  /** Returns the section of `external_auth` for a backend; undefined if it is not switched on. */
  #section(eauth: unknown): Record<string, unknown> | undefined {
    const { external_auth } = this.#options.opts;
    if (typeof eauth !== "string" || !isRecord(external_auth) || !Object.hasOwn(external_auth, eauth)) return undefined;
    const section = external_auth[eauth];
    return isRecord(section) ? section : {};
  }

  #context(section: Record<string, unknown>): EauthContext {
    const { runtime, log, opts } = this.#options;
    return { runtime, log: log.child("eauth"), opts, section, slices: this.#slices };
  }

  async #backend(name: string, section: Record<string, unknown>): Promise<EauthModule | undefined> {
    const { backends, log } = this.#options;
    const { customEauth } = await import("../../../model/loader/custom_eauth.ts");
    const custom = await customEauth(this.#context(section), name, backends);
    if (custom !== undefined) return custom;
    if (!Object.hasOwn(backends, name)) {
      log.error("unknown backend in external_auth", { eauth: name, known: Object.keys(backends) });
      return undefined;
    }
    const { eauth } = await backends[name]!();
    const available = eauth.virtual?.(this.#context(section)) ?? true;
    if (available === true) return eauth;
    log.error("backend of external_auth not available", { eauth: name, reason: available.unavailable });
    return undefined;
  }

  /**
   * Authenticates `username` and `password` of a load by the backend `eauth`; undefined, after a delay, if they are wrong. An
   * `id_token` is a password that names its user itself.
   */
  async identify(load: Load): Promise<KnownUser | undefined> {
    const { eauth, username = "", password = load.id_token } = load;
    const section = this.#section(eauth);
    if (section === undefined || typeof eauth !== "string") {
      this.#options.log.warning("login refused: its eauth is not in external_auth", { eauth });
      return undefined;
    }
    const started = this.#clock.now();
    const texts = typeof username === "string" && typeof password === "string" &&
      bytesOf(username) <= MAX_PASSWORD_BYTES && bytesOf(password) <= MAX_CREDENTIAL_BYTES;
    if (this.#queued >= MAX_QUEUED) {
      this.#options.log.warning("login refused: too many at once", { eauth });
      return undefined;
    }
    this.#queued++;
    const known = await this.#asking.run(async () =>
      texts ? await this.#ask(eauth, section, { username, password: password as string }) : undefined
    ).finally(() => this.#queued--);
    if (known === undefined) {
      this.#options.log.warning("login refused", { eauth, username: texts ? username : "(not text)" });
      await this.#delay(started);
    }
    return known;
  }

  async #ask(
    eauth: string,
    section: Record<string, unknown>,
    credentials: { username: string; password: string },
  ): Promise<KnownUser | undefined> {
    const { opts, log } = this.#options;
    try {
      const backend = await this.#backend(eauth, section);
      const context = this.#context(section);
      // The length is checked before any work: the cost of checking a password grows with its length.
      if (bytesOf(credentials.password) > (backend?.longest ?? MAX_PASSWORD_BYTES)) return undefined;
      const identity = await backend?.authenticate(context, credentials);
      if (backend === undefined || identity === undefined) return undefined;
      const granting = opts.eauth_acl_module === "" ? backend : await this.#backend(opts.eauth_acl_module, section);
      const own = await granting?.permissions?.(context, identity, credentials);
      const permissions = own ?? await this.#configured(backend, section, identity);
      const groups = identity.groups ?? [];
      const login = { eauth, groups, ...(own === undefined ? {} : { granted: own }) };
      return { name: identity.name, eauth, groups, permissions, login };
    } catch (error) {
      log.error("backend of external_auth failed", { eauth, error: messageOf(error) });
      return undefined;
    }
  }

  async #configured(
    backend: EauthModule | undefined,
    section: Record<string, unknown>,
    { name, groups = [] }: EauthIdentity,
  ): Promise<Permissions> {
    const { rules, opts } = this.#options;
    const granted = rules.of(section, name, groups, opts.permissive_acl);
    return await backend?.expand?.(this.#context(section), granted) ?? granted;
  }

  /** Delays a refusal to between three and five quarters of the time that the slowest refusal has taken. */
  async #delay(started: number): Promise<void> {
    const took = this.#clock.now() - started;
    this.#slowestMs = Math.max(this.#slowestMs, took);
    if (this.#waiting >= MAX_WAITING) return;
    const [high = 0, low = 0] = this.#options.runtime.crypto.randomBytes(2);
    const share = 0.75 + 0.5 * (high * 256 + low) / 65_535;
    this.#waiting++;
    try {
      await this.#clock.sleep(Math.max(0, this.#slowestMs * share - took));
    } finally {
      this.#waiting--;
    }
  }

  /** Returns the user of a token with its permissions; undefined if the token is unknown or expired, or its backend is switched off. */
  async byToken(token: unknown): Promise<KnownUser | undefined> {
    const { tokens, opts, log } = this.#options;
    const held = tokens.get(token);
    const section = held === undefined ? undefined : this.#section(held.eauth);
    if (held === undefined || section === undefined) {
      log.warning("token refused");
      return undefined;
    }
    const { name, eauth, groups = [], auth_list, expire } = held;
    const login = { eauth, groups, token: { sha256: tokens.hashOf(held.token), expire } };
    if (opts.keep_acl_in_token && Array.isArray(auth_list)) {
      return { name, eauth, groups, permissions: auth_list, login: { ...login, granted: auth_list } };
    }
    try {
      const backend = await this.#backend(eauth, section);
      const permissions = await this.#configured(backend, section, { name, groups });
      return { name, eauth, groups, permissions, login };
    } catch (error) {
      log.error("backend of external_auth failed", { eauth, error: messageOf(error) });
      return undefined;
    }
  }

  /**
   * Returns what the configuration grants a user that has logged in earlier; undefined if the user cannot log in any more.
   *
   * @throws any error of the backend
   */
  async permissionsOf(
    { name, eauth, groups }: Pick<KnownUser, "name" | "eauth" | "groups">,
  ): Promise<Permissions | undefined> {
    const section = this.#section(eauth);
    const backend = section && await this.#backend(eauth, section);
    if (section === undefined || backend === undefined) return undefined;
    const now = backend.find === undefined ? { name, groups } : await backend.find(this.#context(section), name);
    return now && await this.#configured(backend, section, now);
  }

  /**
   * Makes a token for the user of a load's credentials; undefined, after a delay, if they are wrong.
   *
   * @param load `eauth`, `username`, `password`; `token_expire` in seconds, where `token_expire_user_override` allows it; `session`, a
   * second name of the token
   * @throws {SystemError} if the token cannot be stored
   */
  async makeToken(load: Load): Promise<Token | undefined> {
    const known = await this.identify(load);
    if (known === undefined) return undefined;
    const { tokens, opts, log } = this.#options;
    const { name, eauth, groups, permissions } = known;
    const wanted = Number(load.token_expire);
    const own = this.#mayChooseExpiry(known) && Number.isFinite(wanted) && wanted > 0;
    const token = tokens.create(
      {
        name,
        eauth,
        ...(opts.keep_acl_in_token ? { auth_list: [...permissions] } : {}),
        ...(groups.length > 0 ? { groups: [...groups] } : {}),
      },
      own ? wanted : opts.token_expire,
      load.session,
    );
    log.info("token created", { eauth, username: name });
    return token;
  }

  #mayChooseExpiry({ name, eauth }: KnownUser): boolean {
    const { token_expire_user_override: allowed } = this.#options.opts;
    if (!isRecord(allowed)) return allowed === true;
    const users = Object.hasOwn(allowed, eauth) ? allowed[eauth] : undefined;
    return Array.isArray(users) && users.includes(name);
  }

  tokens(): string[] {
    return this.#options.tokens.list();
  }

  /** Removes a token if it has expired. @returns true if it is gone */
  sweep(token: string): boolean {
    try {
      const { tokens } = this.#options;
      // The second name of a revoked token stays until it expires: reading the token removes it then.
      tokens.get(token);
      return !tokens.has(token);
    } catch (error) {
      // Another process has removed the token, or this process may not read it.
      this.#options.log.debug("token could not be read", { error: codeOf(error) });
      return false;
    }
  }
}
