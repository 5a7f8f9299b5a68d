import { Pool } from "../async/pool.ts";
import { zoneOf } from "./text.ts";

/**
 * What went wrong with a request, as far as the user can act on it:
 * `signed out`: no session, or it has ended; `forbidden`: the account may not do this; `unreachable`: no answer at all;
 * `refused`: the server understood and said no; `failed`: the server broke.
 */
export type ApiErrorKind = "signed out" | "forbidden" | "unreachable" | "refused" | "failed";

/** A request that did not do what it should, with what to do about it. */
export class ApiError extends Error {
  readonly kind: ApiErrorKind;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly remedy: string;

  constructor(kind: ApiErrorKind, status: number, message: string, remedy: string) {
    super(message);
    this.name = "ApiError";
    this.kind = kind;
    this.status = status;
    this.remedy = remedy;
  }
}

/** True if the account may not do what it asked for. */
export const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.kind === "forbidden";

/** Who is signed in, as `POST /login` says it; the token itself stays in the cookie. */
export interface Session {
  user: string;
  eauth: string;
  /** Seconds since the epoch. */
  expire: number;
  /** Entries of `external_auth` that hold for this user, for display. */
  perms: unknown[];
}

/** Credentials of an external authentication system. */
export interface Credentials {
  username: string;
  password: string;
  eauth: string;
}

/** One command for the server, in Salt's own form: `client`, `fun` and what that client takes. */
export type Lowstate = { client: string; fun: string } & Record<string, unknown>;

/** What a wheel function came to. */
interface WheelAnswer {
  data?: { return?: unknown; success?: boolean; jid?: unknown; _stamp?: unknown };
}

/** What `local_async` answers; without a match neither is there. */
export interface Published {
  jid?: string;
  minions?: string[];
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Of a traceback the line that says what went wrong. */
const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1)!;

// Six connections an origin is what browsers give: one is for the event stream, one stays free for what a person does.
const MOST_AT_ONCE = 4;

/** Takes the sentence out of an error page: both `<p>message</p>` and `{"return": "message"}` are in use. */
export function messageOf(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === "object" && parsed !== null) {
      const { return: text, message, error } = parsed as Record<string, unknown>;
      for (const one of [text, message, error]) if (typeof one === "string") return one;
    }
  } catch {
    // Not JSON, so a page.
  }
  const paragraph = /<p>([^<]*)<\/p>/.exec(body)?.[1] ?? (body.includes("<") ? "" : body);
  return paragraph.replaceAll("&#x27;", "'").replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">").replaceAll("&amp;", "&").trim();
}

/**
 * True if a 401 says that there is no session any more, false if it says that this account may not do this, undefined if
 * it could be either.
 *
 * @see the errors of rest_cherrypy: one status stands for both
 */
export function saysSignedOut(message: string): boolean | undefined {
  if (/^No permission/.test(message)) return true;
  if (/Authorization error/.test(message) || /occurred for user/.test(message)) return false;
  return undefined;
}

/** Calls salt-api. The session is a cookie, so that the token is nowhere that a script could read it from. */
export class Api {
  readonly #base: string;
  readonly #fetch: Fetch;
  readonly #pool = new Pool(MOST_AT_ONCE);
  /** How far the master's jids are behind UTC, in milliseconds; it shows in each answer of a wheel function. */
  jidZoneMs = 0;
  /** Called once a request has found the session gone. */
  onSignedOut: () => void = () => {};
  /** Called with what an answer says of the master: whether there is one to ask. */
  onMaster: (up: boolean) => void = () => {};
  /** Paths that only our own server has, and this one has not. */
  readonly #missing = new Set<string>();

  /** @param base where the API is, without a slash at the end: `""`, or the prefix that the server is mounted below */
  constructor(base: string, fetcher: Fetch) {
    this.#base = base;
    this.#fetch = fetcher;
  }

  /** Where the event stream is; the browser sends the cookie along. */
  get eventsUrl(): string {
    return `${this.#base}/events`;
  }

  /** @throws {ApiError} of kind `refused` if the credentials are wrong */
  async login(credentials: Credentials): Promise<Session> {
    const { status, body } = await this.#send("/login", "POST", credentials);
    if (status === 401) {
      throw new ApiError(
        "refused",
        status,
        `The master does not know ${credentials.username} with this password in "${credentials.eauth}"`,
        "Check name and password, and that this authentication system is in the master's external_auth.",
      );
    }
    if (status !== 200) throw await this.#error(status, body, "");
    const session = (JSON.parse(body) as { return?: Record<string, unknown>[] }).return?.[0] ?? {};
    return {
      user: String(session.user ?? credentials.username),
      eauth: String(session.eauth ?? credentials.eauth),
      expire: Number(session.expire ?? 0),
      perms: Array.isArray(session.perms) ? session.perms : [],
    };
  }

  async logout(): Promise<void> {
    await this.#send("/logout", "POST", {});
  }

  /** True if the cookie still stands for a session. */
  async alive(): Promise<boolean> {
    const { status } = await this.#send("/stats", "GET");
    return status !== 401;
  }

  /** Starts a job; without a match there is no jid. */
  async publish(job: Record<string, unknown> & { fun: string }): Promise<Published> {
    return await this.#run({ client: "local_async", ...job }) as Published;
  }

  /** Runs a job and waits for its returns: id → value, `false` for those that did not answer. */
  async local(job: Record<string, unknown> & { fun: string }): Promise<Record<string, unknown>> {
    return await this.#run({ client: "local", ...job }) as Record<string, unknown>;
  }

  async runner(fun: string, named: Record<string, unknown> = {}): Promise<unknown> {
    return await this.#run({ client: "runner", fun, ...named });
  }

  /** @throws {ApiError} of kind `refused` with the function's own words if it did not succeed */
  async wheel(fun: string, named: Record<string, unknown> = {}): Promise<unknown> {
    const { data } = await this.#run({ client: "wheel", fun, ...named }) as WheelAnswer;
    if (typeof data?.jid === "string" && typeof data._stamp === "string") {
      this.jidZoneMs = zoneOf(data.jid, data._stamp);
    }
    if (data?.success === false) {
      throw new ApiError("refused", 200, `wheel ${fun}: ${lastLine(String(data.return))}`, "Nothing was changed.");
    }
    return data?.return;
  }

  /** Several runners in one request, which the server runs one after the other. */
  async runners(calls: readonly ({ fun: string } & Record<string, unknown>)[]): Promise<unknown[]> {
    return await this.#post("/", calls.map((call) => ({ client: "runner", ...call })), calls[0]?.fun ?? "");
  }

  /**
   * Whom a job would be for, as the master says it; undefined where neither server nor master can be asked for that, which
   * only a Brine master can.
   *
   * @throws {ApiError} of kind `forbidden` if this account may not run such a job
   */
  async preview(job: Record<string, unknown>): Promise<{ minions: string[]; missing: string[] } | undefined> {
    if (this.#missing.has("/preview")) return undefined;
    try {
      const [found] = await this.#post("/preview", job, "");
      const { minions, missing } = (found ?? {}) as { minions?: unknown; missing?: unknown };
      if (Array.isArray(minions)) return { minions, missing: Array.isArray(missing) ? missing : [] };
      this.#missing.add("/preview");
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError) || ![404, 405, 501].includes(error.status)) throw error;
      this.#missing.add("/preview");
      return undefined;
    }
  }

  /** Whether the server has a master to ask; undefined if it does not say, as Salt's own does not. */
  async ready(): Promise<boolean | undefined> {
    if (this.#missing.has("/ready")) return undefined;
    const { status } = await this.#send("/ready", "GET");
    if (status === 200 || status === 503) return status === 200;
    this.#missing.add("/ready");
    return undefined;
  }

  async #run(lowstate: Lowstate): Promise<unknown> {
    return (await this.#post("/", lowstate, lowstate.fun))[0];
  }

  async #post(path: string, json: unknown, fun: string): Promise<unknown[]> {
    const { status, body } = await this.#pool.run(() => this.#send(path, "POST", json));
    if (status === 200 || status === 503) this.onMaster(status === 200);
    if (status !== 200) throw await this.#error(status, body, fun);
    const { return: answers } = JSON.parse(body) as { return?: unknown };
    return Array.isArray(answers) ? answers : [];
  }

  async #send(path: string, method: string, json?: unknown): Promise<{ status: number; body: string }> {
    try {
      const response = await this.#fetch(this.#base + path, {
        method,
        credentials: "same-origin",
        cache: "no-store",
        headers: {
          Accept: "application/json",
          ...(json === undefined ? {} : { "Content-Type": "application/json" }),
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
      return { status: response.status, body: await response.text() };
    } catch (error) {
      throw new ApiError(
        "unreachable",
        0,
        `No answer from the server (${error instanceof Error ? error.message : String(error)})`,
        "Check the network and that salt-api is running; then try again.",
      );
    }
  }

  async #error(status: number, body: string, fun: string): Promise<ApiError> {
    const message = messageOf(body);
    const what = fun === "" ? "" : `${fun}: `;
    if (status === 401) {
      const signedOut = saysSignedOut(message) ?? !(await this.alive().catch(() => true));
      if (signedOut) {
        this.onSignedOut();
        return new ApiError("signed out", status, "The session has ended", "Sign in again; this page stays as it is.");
      }
      return new ApiError(
        "forbidden",
        status,
        `${what}your account may not do this`,
        "Ask whoever keeps the master's external_auth to grant it, or choose a smaller target.",
      );
    }
    if (status === 503) {
      return new ApiError(
        "failed",
        status,
        `${what}the master does not answer`,
        "salt-api runs, salt-master does not: start it, then try again.",
      );
    }
    if (status === 400 && message.includes("netapi_enable_clients")) {
      return new ApiError(
        "refused",
        status,
        `${what}this kind of command is switched off`,
        "Add local, local_async, runner and wheel to netapi_enable_clients in the master's configuration.",
      );
    }
    if (status === 504) {
      return new ApiError("failed", status, `${what}no answer in time`, "It may still be running: look at the jobs.");
    }
    if (status >= 500) {
      return new ApiError(
        "failed",
        status,
        `${what}${message || `the server failed with ${status}`}`,
        "The log of salt-api says more. A function that is not there ends this way, too.",
      );
    }
    return new ApiError("refused", status, `${what}${message || `refused with ${status}`}`, "Check what was entered.");
  }
}
