import { messageIn, saysForbidden } from "../model/api_answer.ts";
import { neededText } from "./permits.ts";
import { Pool } from "../base/async/pool.ts";
import { zoneOf } from "./text.ts";

/**
 * Kinds of failed requests, by what the user can do:
 * `signed out`: no session, or it has expired; `forbidden`: the account lacks the permission; `unreachable`: no response;
 * `refused`: the server rejected the request; `absent`: the server has no such part; `failed`: the server failed.
 */
type ApiErrorKind = "signed out" | "forbidden" | "unreachable" | "refused" | "absent" | "failed";

/** A failed request, with a remedy for the user. */
export class ApiError extends Error {
  readonly kind: ApiErrorKind;
  /** HTTP status; 0 without a response. */
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

/** True for an error that means that the account lacks the permission. */
export const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.kind === "forbidden";

/** The session, as `POST /login` returns it; the token itself stays in the cookie. */
export interface ConsoleSession {
  user: string;
  eauth: string;
  /** When the session expires, in seconds since the epoch. */
  expire: number;
  /** Entries of `external_auth` for this user, for display. */
  perms: unknown[];
}

/** Credentials of an external authentication system. */
export interface SignInFields {
  username: string;
  password: string;
  eauth: string;
}

/** One command for salt-api: `client`, `fun` and the arguments of that client. */
type Lowstate = { client: string; fun: string } & Record<string, unknown>;

interface WheelAnswer {
  data?: { return?: unknown; success?: boolean; jid?: unknown; _stamp?: unknown };
}

/** The response of `local_async`; without a match both are missing. */
interface PublishAnswer {
  jid?: string;
  minions?: string[];
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The last line of a text: in a traceback, the message. */
const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1)!;

// The most requests at once. Browsers open six connections to an origin: one is for the event stream, one stays free for the user's actions.
const MAX_AT_ONCE = 4;

/**
 * True if a 401 means that the session has expired, false if the account lacks the permission; undefined if both are
 * possible.
 *
 * @see the errors of rest_cherrypy, which uses one status for both
 */
export function saysSignedOut(message: string): boolean | undefined {
  // The token of the session has been removed at the master.
  if (/^No permission|Authentication error/.test(message)) return true;
  return saysForbidden(message) ? false : undefined;
}

const listOf = (value: unknown): string[] => Array.isArray(value) ? value : [];

/** Calls salt-api. The session is in a cookie, which scripts need not read. */
export class Api {
  readonly #base: string;
  readonly #fetch: Fetch;
  readonly #pool = new Pool(MAX_AT_ONCE);
  /** How far the master's jids are behind UTC, in milliseconds; measured by each response of a wheel function. */
  jidZoneMs = 0;
  /** Called when a response says that the session has expired. */
  onSignedOut: () => void = () => {};
  /** Called after each request, with true if the server has a master. */
  onMaster: (up: boolean) => void = () => {};
  /** Paths of Brine's gateway that this server does not have. */
  readonly #missing = new Set<string>();

  /** @param base path of the API without a slash at the end: `""`, or the prefix that the server is mounted at */
  constructor(base: string, fetcher: Fetch) {
    this.#base = base;
    this.#fetch = fetcher;
  }

  /** Address of the event stream; the browser sends the cookie. */
  get eventsUrl(): string {
    return `${this.#base}/events`;
  }

  /** Signs in. @throws {ApiError} of kind `refused` if the credentials are wrong */
  async login(credentials: SignInFields): Promise<ConsoleSession> {
    const { status, body } = await this.#send("/login", "POST", credentials);
    if (status === 401) {
      throw new ApiError(
        "refused",
        status,
        `Sign-in failed for ${credentials.username} with authentication system "${credentials.eauth}"`,
        "Check username and password, and that the master's external_auth has this authentication system.",
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

  /** The authentication systems that users of this master can sign in with; undefined unless the server is Brine. */
  async signInSystems(): Promise<string[] | undefined> {
    try {
      const { status, body } = await this.#send("/console/eauth.json", "GET");
      const names: unknown = status === 200 ? JSON.parse(body) : undefined;
      return Array.isArray(names) && names.every((name) => typeof name === "string") ? names : undefined;
    } catch {
      // A server other than Brine answers with a page, or not at all: the form offers all systems.
      return undefined;
    }
  }

  async logout(): Promise<void> {
    await this.#send("/logout", "POST", {});
  }

  /** True if the session is still valid. */
  async alive(): Promise<boolean> {
    const { status } = await this.#send("/stats", "GET");
    return status !== 401;
  }

  /** Starts a job; without a match there is no jid. */
  async publish(job: Record<string, unknown> & { fun: string }): Promise<PublishAnswer> {
    return await this.#run({ client: "local_async", ...job }) as PublishAnswer;
  }

  /** Runs a job and waits for its returns: id → value, `false` for minions that did not answer. */
  async local(job: Record<string, unknown> & { fun: string }): Promise<Record<string, unknown>> {
    return await this.#run({ client: "local", ...job }) as Record<string, unknown>;
  }

  async runner(fun: string, named: Record<string, unknown> = {}): Promise<unknown> {
    return await this.#run({ client: "runner", fun, ...named });
  }

  /** Calls a wheel function. @throws {ApiError} of kind `refused` with the function's message if it failed */
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

  /** Calls several runners in one request; the server runs one after the other. */
  async runners(calls: readonly ({ fun: string } & Record<string, unknown>)[]): Promise<unknown[]> {
    return await this.#post("/", calls.map((call) => ({ client: "runner", ...call })), calls[0]?.fun ?? "", "runner");
  }

  /**
   * The minions that a job would run on, as the master reports them; undefined unless both server and master are Brine.
   *
   * @throws {ApiError} of kind `forbidden` if this account may not run such a job
   */
  async preview(
    job: Record<string, unknown>,
  ): Promise<{ minions: string[]; missing: string[]; unknown: string[] } | undefined> {
    if (this.#missing.has("/preview")) return undefined;
    try {
      const [found] = await this.#post("/preview", job, "");
      const { minions, missing, unknown } = (found ?? {}) as Record<string, unknown>;
      if (Array.isArray(minions)) return { minions, missing: listOf(missing), unknown: listOf(unknown) };
      this.#missing.add("/preview");
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError) || ![404, 405, 501].includes(error.status)) throw error;
      this.#missing.add("/preview");
      return undefined;
    }
  }

  /** True if the server has a master; undefined if the server does not report that, such as Salt's. */
  async ready(): Promise<boolean | undefined> {
    if (this.#missing.has("/ready")) return undefined;
    const { status } = await this.#send("/ready", "GET");
    if (status === 200 || status === 503) return status === 200;
    this.#missing.add("/ready");
    return undefined;
  }

  async #run(lowstate: Lowstate): Promise<unknown> {
    return (await this.#post("/", lowstate, lowstate.fun, lowstate.client))[0];
  }

  async #post(path: string, json: unknown, fun: string, client = ""): Promise<unknown[]> {
    const { status, body } = await this.#pool.run(() => this.#send(path, "POST", json));
    if (status === 200 || status === 503) this.onMaster(status === 200);
    if (status !== 200) throw await this.#error(status, body, fun, client);
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
        `No response from the server (${error instanceof Error ? error.message : String(error)})`,
        "Check the network and that salt-api is running; then try again.",
      );
    }
  }

  async #error(status: number, body: string, fun: string, client = ""): Promise<ApiError> {
    const message = messageIn(body);
    const what = fun === "" ? "" : `${fun}: `;
    if (status === 401) {
      const signedOut = saysSignedOut(message) ?? !(await this.alive().catch(() => true));
      if (signedOut) {
        this.onSignedOut();
        return new ApiError(
          "signed out",
          status,
          "The session has expired",
          "Sign in again; the page keeps its contents.",
        );
      }
      return new ApiError(
        "forbidden",
        status,
        `${what}permission denied for this account`,
        fun === ""
          ? "Ask an administrator to grant it in the master's external_auth."
          : `It needs ${neededText(client, fun)} in the master's external_auth: ask an administrator${
            client.startsWith("local") ? ", or choose a smaller target" : ""
          }.`,
      );
    }
    if (status === 503) {
      return new ApiError(
        "failed",
        status,
        `${what}the master does not answer`,
        "salt-api is running but salt-master is not: start it, then try again.",
      );
    }
    if (status === 400 && message.includes("netapi_enable_clients")) {
      return new ApiError(
        "refused",
        status,
        `${what}this client is disabled`,
        "Add local, local_async, runner and wheel to netapi_enable_clients in the master's configuration.",
      );
    }
    if (status === 504) {
      return new ApiError("failed", status, `${what}timed out`, "It may still be running: check the Jobs page.");
    }
    if (status >= 500) {
      return new ApiError(
        "failed",
        status,
        `${what}${message || `the server failed with ${status}`}`,
        "Check the log of salt-api. An unknown function also fails this way.",
      );
    }
    return new ApiError("refused", status, `${what}${message || `refused with ${status}`}`, "Check the input.");
  }
}
