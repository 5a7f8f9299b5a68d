import type { Credentials } from "../../../client/publish_request.ts";
import type { RunnerRequest } from "../../../client/runner.ts";
import { CredentialGuard, type GuardOptions } from "../auth/sign_in_limits.ts";
import type { CredentialUse, Verdict } from "../auth/failed_attempts.ts";
import { HttpError, NO_PERMISSION, RefusedError } from "../wire/errors.ts";
import { fieldOf } from "../wire/json.ts";
import type { Backend } from "./backend.ts";

/** The methods that need no credential. */
export type OpenBackend = Pick<
  Backend,
  "up" | "isBrine" | "cluster" | "fire" | "revoke" | "mayReadAllEvents" | "onEvent"
>;
/** The methods that need a credential, or check one. */
export type GuardedBackend = Omit<
  Backend,
  "cluster" | "fire" | "revoke" | "mayReadAllEvents" | "onEvent" | typeof Symbol.asyncDispose
>;

interface GuardedBackendOptions extends GuardOptions {
  backend: Backend;
}

/**
 * The master as one request may use it: the only way in which a credential reaches the master. The {@link CredentialGuard} checks and
 * counts each credential here, whatever route, client or field it came from.
 */
export function guardedBackend(options: GuardedBackendOptions): GuardedBackend {
  return new TheGuardedBackend(options);
}

/** The runner that makes a token from a password. */
const MAKES_TOKENS = "auth.mk_token";

const validIfFound = (found: unknown): Verdict => found === undefined ? "failed" : "valid";

class TheGuardedBackend implements GuardedBackend {
  readonly #backend: Backend;
  readonly #guard: CredentialGuard;
  readonly #restricted: boolean;

  constructor({ backend, ...guard }: GuardedBackendOptions) {
    this.#backend = backend;
    this.#guard = new CredentialGuard(guard);
    this.#restricted = guard.settings.apiAcl !== undefined;
  }

  get up(): boolean {
    return this.#backend.up;
  }

  get isBrine(): boolean {
    return this.#backend.isBrine;
  }

  login: Backend["login"] = async (credentials, session) => {
    const use = this.#guard.useOf(credentials);
    const record = await this.#guard.count([use], () => this.#backend.login(credentials, session), validIfFound);
    // For an identity provider's token, the user is known only after the login.
    if (record === undefined || this.#guard.admits(record.name)) return record;
    await this.#backend.revoke(record.token);
    throw new HttpError(401, NO_PERMISSION);
  };

  token: Backend["token"] = async (token) => {
    const use = this.#guard.useOf({ token });
    const record = await this.#guard.count([use], () => this.#backend.token(token), validIfFound);
    if (record === undefined) return undefined;
    if (!this.#guard.isProven(token) && !this.#guard.admits(record.name)) return undefined;
    this.#guard.prove(token);
    return record;
  };

  publish: Backend["publish"] = (request) => this.#ask(request.credentials, () => this.#backend.publish(request));

  preview: Backend["preview"] = (request) =>
    this.#ask(
      request.credentials,
      () => this.#backend.preview(request),
      // A master without previews has not checked the credentials.
      (found) => found === undefined ? "untried" : "valid",
    );

  run: Backend["run"] = (request, options) =>
    this.#follow(request.credentials, () => this.#backend.run(request, options));

  batch: Backend["batch"] = (request, options) =>
    this.#follow(request.credentials, () => this.#backend.batch(request, options));

  subset: Backend["subset"] = (request, count, options) =>
    this.#ask(request.credentials, () => this.#backend.subset(request, count, options));

  startRunner: Backend["startRunner"] = async (request) => {
    const use = await this.#useIn(request.credentials);
    const argument = this.#argumentUse(request);
    // The return of a started runner is not known here, so the result of a password in its arguments is unknown.
    return await this.#guard.count(
      [use, argument],
      () => this.#backend.startRunner(request),
      () => argument === undefined ? "valid" : "unknown",
    );
  };

  runner: Backend["runner"] = async (request, options) => {
    const use = await this.#useIn(request.credentials);
    const argument = this.#argumentUse(request);
    return await this.#guard.count(
      [use, argument],
      () => this.#backend.runner(request, options),
      ({ data }) => argument === undefined || fieldOf(data.return, "token") !== undefined ? "valid" : "failed",
    );
  };

  wheel: Backend["wheel"] = (request) => this.#ask(request.credentials, () => this.#backend.wheel(request));

  async #ask<T>(
    credentials: Credentials | undefined,
    run: () => Promise<T>,
    verdict?: (value: T) => Verdict,
  ): Promise<T> {
    return await this.#guard.count([await this.#useIn(credentials)], run, verdict);
  }

  /** Follows a generator; its first value shows that the credentials were valid. */
  async *#follow<T, R>(
    credentials: Credentials | undefined,
    start: () => AsyncGenerator<T, R>,
  ): AsyncGenerator<T, R> {
    const values = start();
    try {
      let step = await this.#ask(credentials, () => values.next());
      while (!step.done) {
        yield step.value;
        step = await values.next();
      }
      return step.value;
    } finally {
      await values.return(undefined as R);
    }
  }

  /** The attempt to count for credentials. With `api_acl`, the owner of a token has to be known before the token is used. */
  async #useIn(credentials: Credentials = {}): Promise<CredentialUse | undefined> {
    const { token } = credentials;
    if (this.#restricted && typeof token === "string" && !this.#guard.isProven(token)) {
      const record = await this.token(token);
      if (record === undefined) throw new RefusedError("authentication", "Authentication error occurred.");
    }
    return this.#guard.useOf(credentials);
  }

  #argumentUse({ fun, kwarg: { username, password, eauth } }: RunnerRequest): CredentialUse | undefined {
    return fun === MAKES_TOKENS ? this.#guard.useOf({ eauth, username, password }) : undefined;
  }
}
