import { CommandExecutionError } from "../../model/loader/family.ts";
import { proxiesOf } from "../../model/loader/proxies.ts";
import { messageOf } from "../../base/errors.ts";
import { isMap, lookup } from "../../language/python/values.ts";
import { JsonError, parseOrderedJson } from "../../language/python/json.ts";
import { dumpJson } from "../../language/python/json_dump.ts";
import type { HttpTrust } from "../../runtime/http.ts";
import { textOfBody } from "../../runtime/http_body.ts";
import { followRedirects } from "../../runtime/http_redirects.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { pythonError } from "../python_errors.ts";

/** Time that the server has to answer, as in Salt. */
const LIMIT_MS = 120_000;
/** Bytes of the largest answer. */
const MOST_BYTES = 16 * 1024 * 1024;

export interface VaultCaller {
  readonly runtime: Runtime;
  readonly opts: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

/** Where a request goes. */
interface VaultServer {
  url: string;
  namespace?: string | null | undefined;
  verify?: unknown;
}

export class VaultAnswer {
  readonly status: number;
  readonly reason: string;
  readonly #text: string;
  readonly #url: string;

  constructor(response: Response, text: string, url: string) {
    this.status = response.status;
    this.reason = response.statusText;
    this.#text = text;
    this.#url = url;
  }

  get ok(): boolean {
    return this.status < 400;
  }

  /** @throws {Error} with Python's text, if the answer is not JSON */
  json(): unknown {
    try {
      return parseOrderedJson(this.#text);
    } catch (error) {
      if (error instanceof JsonError) throw pythonError("JSONDecodeError", error.message);
      throw error;
    }
  }

  /** A value of the answer by the names of maps; undefined if it is not there. */
  at(...names: string[]): unknown {
    return names.reduce<unknown>((value, name) => isMap(value) ? lookup(value, name) : undefined, this.json());
  }

  /** True if Vault refuses the token. */
  get isDenied(): boolean {
    if (this.ok) return false;
    const errors = this.at("errors");
    return Array.isArray(errors) && errors.length === 1 && errors[0] === "permission denied";
  }

  /** @throws {Error} with the text of Python's library, for a status from 400 on */
  raise(): void {
    if (this.status < 400) return;
    const whose = this.status < 500 ? "Client" : "Server";
    throw pythonError("HTTPError", `${this.status} ${whose} Error: ${this.reason} for url: ${this.#url}`);
  }
}

function trustOf({ runtime }: VaultCaller, verify: unknown): HttpTrust {
  if (verify === false) return { verify };
  return typeof verify === "string" && verify !== "" ? { ca: runtime.fs.readText(verify) } : {};
}

/**
 * Sends one request. The path of a secret may have any character but no `..`: it must not lead to another part of the interface.
 *
 * @throws {CommandExecutionError} if the server cannot be reached
 */
export async function askVault(
  caller: VaultCaller,
  server: VaultServer,
  method: string,
  path: string,
  { token, body }: { token?: string | undefined; body?: unknown } = {},
): Promise<VaultAnswer> {
  if (path.split("/").some((part) => part === ".." || part === ".")) {
    throw new CommandExecutionError(`Cannot use "${path}" as a path of Vault: it has "." or ".." in it`);
  }
  const { url, namespace, verify } = server;
  const [plain, query] = path.split(/\?(.*)/s);
  const escaped = plain!.split("/").map((part) => encodeURIComponent(part)).join("/");
  const address = `${url}/${escaped}${query === undefined ? "" : `?${query}`}`;
  const headers = new Headers({ "content-type": "application/json" });
  if (token !== undefined) headers.set("x-vault-token", token);
  if (namespace !== undefined && namespace !== null) headers.set("x-vault-namespace", namespace);
  const timeout = AbortSignal.timeout(LIMIT_MS);
  try {
    const response = await followRedirects(caller.runtime.http, address, {
      method,
      headers,
      signal: caller.signal === undefined ? timeout : AbortSignal.any([caller.signal, timeout]),
      connectMs: LIMIT_MS,
      tls: trustOf(caller, verify),
      proxyFor: proxiesOf(caller),
      ...(body === undefined ? {} : { body: new TextEncoder().encode(dumpJson(body)) }),
    });
    return new VaultAnswer(response, await textOfBody(response.body, MOST_BYTES), address);
  } catch (error) {
    caller.signal?.throwIfAborted();
    throw new CommandExecutionError(`Vault at ${new URL(url).origin} could not be reached: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
