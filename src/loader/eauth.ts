import type { Slices } from "../async/slices.ts";
import type { Logger } from "../log.ts";
import type { Runtime } from "../runtime/mod.ts";

/** What a backend of `external_auth` is given. */
export interface EauthContext {
  readonly runtime: Runtime;
  readonly log: Logger;
  /** The master's configuration. */
  readonly opts: Record<string, unknown>;
  /** The backend's section of `external_auth`: options begin with `^`, everything else is who may do what. */
  readonly section: Record<string, unknown>;
  /** Where what takes long is computed, beside everything else that the master does. */
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
  /** Groups that `<group>%` in the configuration means. */
  groups?: readonly string[];
}

/** Bytes of a user's name, and of a password unless its backend says more: what `crypt(3)` and PAM take. */
export const MOST_PASSWORD = 512;

/** What a file under `plugins/eauth/` exports as `eauth`: one backend of external authentication. */
export interface EauthModule {
  /** True, or why it cannot be used on this host. */
  virtual?(context: EauthContext): true | { unavailable: string };
  /** Bytes of the longest password that it is given; longer ones prove nothing. @default {@link MOST_PASSWORD} */
  readonly longest?: number;
  /**
   * Who it is; undefined if the credentials do not prove it. What a user costs who is not known SHOULD be what one costs who
   * is.
   *
   * @throws what keeps it from telling; that is a refusal, too, and is logged
   */
  authenticate(context: EauthContext, credentials: EauthCredentials): Promise<EauthIdentity | undefined>;
  /** What the backend itself grants; undefined if that is for the configuration to say. */
  permissions?(
    context: EauthContext,
    identity: EauthIdentity,
    credentials: EauthCredentials,
  ): Promise<unknown[] | undefined>;
  /** Puts what it knows in place of what only it can read, in entries of the configuration. */
  expand?(context: EauthContext, permissions: readonly unknown[]): Promise<unknown[]>;
}

/** Backends by name → how to load them. */
export type EauthRegistry = Record<string, () => Promise<{ eauth: EauthModule }>>;

/** An option of a backend's section, `^url` for `url`; undefined if it is not given. */
export function sectionOption(section: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(section, `^${name}`) ? section[`^${name}`] : undefined;
}
