/** The HTTP API of a Docker daemon. */
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../model/loader/family.ts";
import type { SocketAddress } from "../../runtime/net.ts";
import { type Args, entriesOf, isMap, repr, str, truthy } from "../../language/python/values.ts";
import { messageOf } from "../../base/errors.ts";
import { exchange, type HttpResponse } from "./http.ts";

/** An answer of the daemon that tells of an error. */
export class DockerError extends CommandExecutionError {
  readonly status: number;
  readonly explanation: string;

  constructor(status: number, explanation: string) {
    super(`Error ${status}: ${explanation}`);
    this.name = "CommandExecutionError";
    this.status = status;
    this.explanation = explanation;
  }
}

const DEFAULT_URL = "unix:///var/run/docker.sock";
/** Silence after which the daemon is given up: Salt's `CLIENT_TIMEOUT`. */
const IDLE_MS = 60_000;
/** Bytes of an answer that is read whole. */
const LARGEST = 64 << 20;

interface Place {
  address: SocketAddress;
  tls: boolean;
  host: string;
}

/** Where a daemon is: `unix:///path`, `tcp://host:port`, `http://host:port` or `https://host:port`. */
export function placeOf(url: string): Place {
  const unix = /^(?:(?:http\+)?unix:)?(?:\/\/)?(\/.*)$/.exec(url);
  if (unix !== null && !/^(?:tcp|https?):/.test(url)) {
    return { address: { kind: "unix", path: unix[1]! }, tls: false, host: "localhost" };
  }
  const [, scheme, host, port] = /^(tcp|https?):\/\/(\[[^\]]+\]|[^:/]+)(?::(\d{1,5}))?\/?$/.exec(url) ?? [];
  if (host === undefined) {
    throw new SaltInvocationError(
      `Cannot use ${repr(url)} as address of Docker: expected unix:///path, tcp://host:port or https://host:port`,
    );
  }
  const tls = scheme === "https";
  const number = Number(port ?? (tls ? 2376 : 2375));
  return { address: { kind: "tcp", host: host.replace(/^\[|\]$/g, ""), port: number }, tls, host };
}

/** `?a=1&b=x`, without what is undefined or null. */
function queryText(query: Args): string {
  const words = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => {
      const text = typeof value === "boolean"
        ? (value ? "1" : "0")
        : typeof value === "object"
        ? JSON.stringify(value)
        : str(value);
      return `${name}=${encodeURIComponent(text)}`;
    });
  return words.length === 0 ? "" : `?${words.join("&")}`;
}

interface ApiRequest {
  query?: Args;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is: a tar archive. */
  body?: Iterable<Uint8Array>;
  headers?: Record<string, string>;
  /** Silence that is waited for. @default 60000 */
  idleMs?: number;
}

const text = new TextDecoder();

async function whole(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > LARGEST) throw new CommandExecutionError(`Docker's answer has more than ${LARGEST} bytes`);
    chunks.push(chunk.slice());
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

export async function* jsonLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Args> {
  const decoder = new TextDecoder();
  let left = "";
  for await (const chunk of body) {
    const lines = (left + decoder.decode(chunk, { stream: true })).split("\n");
    left = lines.pop()!;
    if (left.length > LARGEST) throw new CommandExecutionError("Docker's answer has a line that is too long");
    for (const line of lines.filter((one) => one.trim() !== "")) yield JSON.parse(line) as Args;
  }
  if (left.trim() !== "") yield JSON.parse(left) as Args;
}

export class DockerClient {
  readonly #context: JobContext;
  #prefix: Promise<string> | undefined;

  constructor(context: JobContext) {
    this.#context = context;
  }

  async #option(name: string): Promise<string | undefined> {
    const value = await this.#context.call("config.option", [name]);
    return truthy(value) ? str(value) : undefined;
  }

  async #exchange(method: string, path: string, { query = {}, json, body, headers, idleMs = IDLE_MS }: ApiRequest) {
    const { net, clock, process } = this.#context.runtime;
    if (await this.#option("docker.machine") !== undefined) {
      throw new CommandExecutionError("docker.machine is not supported: give the daemon's address as docker.url");
    }
    const { address, tls, host } = placeOf(
      await this.#option("docker.url") ?? (process.env("DOCKER_HOST") || DEFAULT_URL),
    );
    const { signal } = this.#context;
    const sent = json === undefined ? body : new TextEncoder().encode(JSON.stringify(json));
    const type = json === undefined ? "application/x-tar" : "application/json";
    const kind: Record<string, string> = sent === undefined ? {} : { "Content-Type": type };
    try {
      const connection = await net.dial(address, { signal, ...(tls ? { tls: { verify: "name" as const } } : {}) });
      const request = {
        method,
        path: path + queryText(query),
        headers: { "User-Agent": "salt-minion", ...kind, ...headers },
        ...(sent === undefined ? {} : { body: sent }),
      };
      return await exchange(connection, request, { clock, idleMs, host, signal });
    } catch (error) {
      if (signal.aborted) throw error;
      throw new CommandExecutionError(`Unable to reach Docker at ${host}: ${messageOf(error)}`);
    }
  }

  /** `/v1.41`: the version that the option says, or that of the daemon. */
  async #version(): Promise<string> {
    const wanted = await this.#option("docker.version");
    if (wanted !== undefined && wanted !== "auto") return `/v${wanted}`;
    const { body } = await this.#exchange("GET", "/version", {});
    const { ApiVersion: version } = JSON.parse(text.decode(await whole(body))) as Args;
    return typeof version === "string" && /^\d+\.\d+$/.test(version) ? `/v${version}` : "";
  }

  /**
   * The daemon's answer, whose body is read as it is asked for.
   *
   * @throws {DockerError} with the daemon's words for any status from 400
   */
  async open(method: string, path: string, request: ApiRequest = {}): Promise<HttpResponse> {
    const response = await this.#exchange(method, await (this.#prefix ??= this.#version()) + path, request);
    if (response.status < 400) return response;
    const said = text.decode(await whole(response.body)).trim();
    let message: unknown;
    try {
      ({ message } = JSON.parse(said) as Args);
    } catch {
      message = said;
    }
    throw new DockerError(response.status, str(message ?? said));
  }

  /** The answer as a value; null for none. */
  async json(method: string, path: string, request: ApiRequest = {}): Promise<unknown> {
    const { body } = await this.open(method, path, request);
    const said = text.decode(await whole(body)).trim();
    return said === "" ? null : JSON.parse(said);
  }

  async get(path: string, query: Args = {}): Promise<unknown> {
    return await this.json("GET", path, { query });
  }
}

/** A name as part of a path: no slash or sign in it leads anywhere else. */
export const part = (name: unknown): string => {
  const word = str(name);
  // The daemon joins `..` in a path as a file system does.
  if (word === "" || word === "." || word === "..") {
    throw new SaltInvocationError(`${repr(word)} is not a name in Docker`);
  }
  return encodeURIComponent(word);
};

/** The name of an image, which may have slashes; none of its parts leads upwards. */
export const imagePart = (name: unknown): string => str(name).split("/").map(part).join("/");

/** Filters as the daemon reads them: each a list of texts; undefined for none. */
export function filterText(filters: unknown): string | undefined {
  if (!isMap(filters)) return undefined;
  const lists = entriesOf(filters).map(([name, value]) => [
    str(name),
    (Array.isArray(value) ? value : [value]).map((one) => typeof one === "boolean" ? String(one) : str(one)),
  ]);
  return JSON.stringify(Object.fromEntries(lists));
}

const PIECE = 1 << 18;

/** The content of a file, piece by piece. */
export function* fileBytes({ runtime: { fs } }: Pick<JobContext, "runtime">, path: string): Generator<Uint8Array> {
  for (let at = 0;;) {
    const piece = fs.readAt(path, at, PIECE);
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}
