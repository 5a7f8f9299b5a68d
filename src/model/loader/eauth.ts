import type { Slices } from "../../base/async/slices.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** What a backend of `external_auth` is called with. */
export interface EauthContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** The master's configuration. */
  readonly opts: Record<string, unknown>;
  /** The backend's section of `external_auth`: options begin with `^`, all other entries are permissions. */
  readonly section: Record<string, unknown>;
  /** For long computations: in slices, so that the master serves other requests meanwhile. */
  readonly slices: Slices;
}

/** What a caller authenticates with. */
export interface EauthCredentials {
  username: string;
  password: string;
}

/** A caller that a backend has authenticated. */
export interface EauthIdentity {
  /** The name that permissions are looked up under. */
  name: string;
  /** The caller's groups, for `<group>%` in the configuration. */
  groups?: readonly string[];
}

/** Bytes of a user's name, and of a password unless its backend says more: what `crypt(3)` and PAM accept. */
export const MOST_PASSWORD = 512;

/** What a file under `plugins/eauth/` exports as `eauth`: one backend of external authentication. */
export interface EauthModule {
  /** True, or why it cannot be used on this host. */
  virtual?(context: EauthContext): true | { unavailable: string };
  /** Bytes of the longest password; longer ones are refused. @default {@link MOST_PASSWORD} */
  readonly longest?: number;
  /**
   * Authenticates a caller; undefined if the credentials are wrong. An unknown user SHOULD take as long as a known one, so that
   * the time does not show which users exist.
   *
   * @throws any error that prevents an answer: the caller is refused, and the error is logged
   */
  authenticate(context: EauthContext, credentials: EauthCredentials): Promise<EauthIdentity | undefined>;
  /**
   * A user that has logged in before, as it is now; undefined if there is no such user any more. Backends that cannot tell have none.
   */
  find?(context: EauthContext, name: string): Promise<EauthIdentity | undefined>;
  /** Permissions that the backend itself grants; undefined if the configuration has them. */
  permissions?(
    context: EauthContext,
    identity: EauthIdentity,
    credentials: EauthCredentials,
  ): Promise<unknown[] | undefined>;
  /** Expands entries of the configuration that only the backend can read. */
  expand?(context: EauthContext, permissions: readonly unknown[]): Promise<unknown[]>;
}

/** Backends by name → how to load them. */
export type EauthRegistry = Record<string, () => Promise<{ eauth: EauthModule }>>;

/** An option of a backend's section, `^url` for `url`; undefined if it is not given. */
export function sectionOption(section: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(section, `^${name}`) ? section[`^${name}`] : undefined;
}
