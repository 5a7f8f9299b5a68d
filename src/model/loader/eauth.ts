import type { Slices } from "../../base/async/slices.ts";
import type { Logger } from "../../base/log.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** What a backend of `external_auth` receives. */
export interface EauthContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** The master's configuration. */
  readonly opts: Record<string, unknown>;
  /** The backend's section of `external_auth`: options begin with `^`, all other entries are permissions. */
  readonly section: Record<string, unknown>;
  /** Runs long computations in slices, so that the master serves other requests in between. */
  readonly slices: Slices;
}

export interface EauthCredentials {
  username: string;
  password: string;
}

/** A caller that a backend has authenticated. */
export interface EauthIdentity {
  /** The name to look up permissions for. */
  name: string;
  /** The caller's groups, for entries `<group>%` in the configuration. */
  groups?: readonly string[];
}

/** The export `eauth` of a file under `plugins/eauth/`: one backend of external authentication. */
export interface EauthModule {
  /** True, or the reason why the backend cannot be used on this host. */
  virtual?(context: EauthContext): true | { unavailable: string };
  /** Maximum bytes of a password; longer ones are refused. @default 512, as in `crypt(3)` */
  readonly longest?: number;
  /**
   * Authenticates a caller; undefined if the credentials are wrong. An unknown user SHOULD take as long as a known one, so that
   * the time does not show which users exist.
   *
   * @throws any error that prevents an answer: the caller is refused and the error is logged
   */
  authenticate(context: EauthContext, credentials: EauthCredentials): Promise<EauthIdentity | undefined>;
  /**
   * The current data of a user who logged in earlier; undefined if the user does not exist any more. Absent if a backend cannot
   * look this up.
   */
  find?(context: EauthContext, name: string): Promise<EauthIdentity | undefined>;
  /** Permissions that the backend itself grants; undefined if those of the configuration count. */
  permissions?(
    context: EauthContext,
    identity: EauthIdentity,
    credentials: EauthCredentials,
  ): Promise<unknown[] | undefined>;
  /** Expands entries of the configuration that only the backend understands. */
  expand?(context: EauthContext, permissions: readonly unknown[]): Promise<unknown[]>;
}

/** Backends: name → function that loads the backend. */
export type EauthRegistry = Record<string, () => Promise<{ eauth: EauthModule }>>;

/** An option of a backend's section, `^url` for `url`; undefined if it is not given. */
export function sectionOption(section: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(section, `^${name}`) ? section[`^${name}`] : undefined;
}
