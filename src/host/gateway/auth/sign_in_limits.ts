import type { Credentials } from "../../../client/publish_request.ts";
import { HttpError, MasterDownError, NO_PERMISSION, RefusedError } from "../wire/errors.ts";
import type { GatewaySettings } from "../settings.ts";
import type { CredentialUse, FailedAttempts, Verdict } from "./failed_attempts.ts";

/** Option `api_acl`: true if this user may sign in from this address. */
export function mayComeFrom({ apiAcl }: Pick<GatewaySettings, "apiAcl">, user: string, address: string): boolean {
  if (apiAcl === undefined) return true;
  const places = apiAcl.get(user) ?? apiAcl.get("*");
  return places !== undefined && (places.includes(address) || places.includes("*"));
}

export interface GuardOptions {
  settings: Pick<GatewaySettings, "apiAcl">;
  attempts: FailedAttempts;
  address: string;
  /** Tokens that were verified during this request, which need not be counted; the guard adds tokens that it verifies. */
  proven: Set<string>;
}

/**
 * Checks the credentials of one request before the master tries them, and counts the result. Each credential is first
 * checked against `api_acl`, and takes a place among the {@link FailedAttempts}.
 */
export class CredentialGuard {
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** True if this user may sign in from the caller's address. */
  admits(user: string): boolean {
    return mayComeFrom(this.#options.settings, user, this.#options.address);
  }

  isProven(token: string): boolean {
    return this.#options.proven.has(token);
  }

  prove(token: string): void {
    this.#options.proven.add(token);
  }

  /**
   * The attempt to count when these credentials are tried; undefined if they were verified during this request.
   *
   * @throws {HttpError} 401 if `api_acl` does not allow the user to sign in from this address
   */
  useOf(credentials: Credentials): CredentialUse | undefined {
    const { address } = this.#options;
    const { token } = credentials;
    if (token === undefined) {
      const user = text(credentials.username);
      if (!this.admits(user)) throw new HttpError(401, NO_PERMISSION);
      // The fields are sorted, so that equal credentials count as the same in any order.
      return { address, user, secret: JSON.stringify(Object.entries(credentials).sort()) };
    }
    return this.isProven(String(token)) ? undefined : { address, secret: String(token) };
  }

  /**
   * Runs a function that tries these credentials, and counts the attempt.
   *
   * @param verdict returns the verdict from the result of `run`. @default the credentials were valid
   * @throws {HttpError} 429 after too many failures
   */
  async count<T>(
    uses: readonly (CredentialUse | undefined)[],
    run: () => Promise<T>,
    verdict: (value: T) => Verdict = () => "valid",
  ): Promise<T> {
    const tried = uses.filter((use) => use !== undefined);
    if (tried.length === 0) return await run();
    const finish = await this.#options.attempts.begin(...tried);
    let value: T;
    try {
      value = await run();
    } catch (error) {
      finish(verdictOf(error));
      throw error;
    }
    finish(verdict(value));
    return value;
  }
}

/** The verdict on an attempt that ended with an error. */
function verdictOf(error: unknown): Verdict {
  if (error instanceof MasterDownError) return "untried";
  if (error instanceof HttpError) return error.status === 429 ? "untried" : "unknown";
  if (!(error instanceof RefusedError)) return "unknown";
  // For runners and wheel functions, the master's answer to a caller without permission is the same as to an unknown one.
  if (error.kind === "authentication" || /^Authentication failure/.test(error.message)) return "failed";
  // Any other refusal may have come before the credentials were checked: a function or name on publisher_acl_blacklist is
  // refused first, in the words for a known caller without permission.
  return "untried";
}

const text = (value: unknown): string => typeof value === "string" ? value : value === undefined ? "" : String(value);

/** The refusal of a login, in the words of Salt's servers. */
export const LOGIN_FAILED = "Could not authenticate using provided credentials";
