import { type Signal, signal } from "@preact/signals";
import type { ConsoleSession, SignInFields } from "../../api.ts";
import { type BrowserEnvironment, readStored } from "./environment.ts";

const SESSION = "brine.session";
const NAME = "brine.name";

/** Functions to call when a session begins and ends. */
interface SessionHooks {
  onBegin(): void;
  /** Called when the session has expired, or the user signs out. */
  onEnd(): void;
  /** Called when another user signs in: data of the previous user must be removed. */
  onForget(): void;
}

/** The session of the user: resumed from an earlier visit, opened by a sign-in, expired or closed. */
export class UserSession {
  /** The current session; `unknown` until it is known whether the session of an earlier visit is still valid. */
  readonly current: Signal<ConsoleSession | undefined | "unknown"> = signal("unknown");
  /** True if the session has expired while pages are open: the pages stay, and the sign-in form covers them. */
  readonly expired: Signal<boolean> = signal(false);
  readonly #env: BrowserEnvironment;
  readonly #hooks: SessionHooks;

  constructor(env: BrowserEnvironment, hooks: SessionHooks) {
    this.#env = env;
    this.#hooks = hooks;
    env.api.onSignedOut = () => this.#expire();
  }

  /** The permissions of this account, from the session; empty if the session does not contain them. */
  get perms(): readonly unknown[] {
    const { value } = this.current;
    return typeof value === "object" ? value.perms : [];
  }

  /** User name and authentication system of the last sign-in in this browser. */
  get lastName(): { username: string; eauth: string } {
    return readStored(this.#env.storage, NAME) ?? { username: "", eauth: "pam" };
  }

  /** Resumes the session of an earlier visit if its cookie is still valid. */
  async resume(): Promise<void> {
    const session = readStored<ConsoleSession>(this.#env.storage, SESSION);
    if (session === undefined || session.expire * 1000 < this.#env.now()) {
      this.current.value = undefined;
      return;
    }
    const alive = await this.#env.api.alive().catch(() => false);
    this.current.value = alive ? session : undefined;
    if (alive) this.#hooks.onBegin();
  }

  /** Signs in. @throws {ApiError} of kind `refused` if the credentials are wrong */
  async signIn(credentials: SignInFields): Promise<void> {
    const session = await this.#env.api.login(credentials);
    const before = this.current.value;
    const other = typeof before === "object" && before.user !== session.user;
    this.#env.storage.setItem(SESSION, JSON.stringify(session));
    this.#env.storage.setItem(NAME, JSON.stringify({ username: session.user, eauth: session.eauth }));
    this.current.value = session;
    this.expired.value = false;
    if (other) this.#hooks.onForget();
    this.#hooks.onBegin();
  }

  async signOut(): Promise<void> {
    await this.#env.api.logout().catch(() => {
      // A failure is ignored: if the server cannot be reached, the cookie expires later.
    });
    this.#hooks.onEnd();
    this.#hooks.onForget();
    this.#env.storage.removeItem(SESSION);
    this.current.value = undefined;
    this.expired.value = false;
  }

  /** Checks, after the event stream was refused, whether the session has expired. */
  async verify(): Promise<void> {
    const alive = await this.#env.api.alive().catch(() => true);
    const { value } = this.current;
    if (!alive || (typeof value === "object" && value.expire * 1000 < this.#env.now())) this.#expire();
  }

  #expire(): void {
    if (this.current.value === undefined || this.expired.value) return;
    this.#hooks.onEnd();
    this.expired.value = true;
  }
}
