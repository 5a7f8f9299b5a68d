import { webLimits } from "../../../model/config/web_limits.ts";
import { codeOf, messageOf } from "../../../base/errors.ts";
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { proxiesOf } from "../../../model/loader/proxies.ts";
import { decodeText } from "../../../language/python/codecs.ts";
import { type Args, entriesOf, isMap, repr, str, truthy, Tuple } from "../../../language/python/values.ts";
import { parseOrderedJson } from "../../../language/python/json.ts";
import { splitLines } from "../../../language/python/text.ts";
import { basicAuth, takeUser } from "../../../runtime/http_head.ts";
import type { HttpTrust } from "../../../runtime/http.ts";
import { bodyBytes, BodyTooLargeError } from "../../../runtime/http_body.ts";
import { followRedirects, RedirectError } from "../../../runtime/http_redirects.ts";
import { SALT_COMPAT } from "../../../base/version.ts";
import { deepCopy } from "../../../language/python/copy.ts";
import { textOf } from "../../bytes.ts";
import { withOsErrors } from "../../python_errors.ts";
import { overwrite } from "../file/content.ts";
import { parseXml, xmlToMap } from "../../xml.ts";

/** Bytes of a body that are held in memory, however large `http_max_body` is. */
const MOST_HELD = 268_435_456;
const DECODES = Tuple.of("json", "xml", "yaml", "plain");

const DECOMPRESSED: Readonly<Record<string, "gzip" | "deflate-raw" | undefined>> = {
  gzip: "gzip",
  deflate: "deflate-raw",
};

type QueryContext = Pick<JobContext, "runtime" | "opts" | "signal">;

interface Request {
  url: string;
  method: string;
  headers: Headers;
  body: Uint8Array<ArrayBuffer> | undefined;
}

const utf8 = (text: string) => new TextEncoder().encode(text);

function encoded(values: unknown): string {
  if (!isMap(values)) return str(values);
  return new URLSearchParams(entriesOf(values).map(([name, value]): [string, string] => [str(name), str(value)]))
    .toString();
}

function withParameters(url: string, params: unknown): string {
  if (!truthy(params)) return url;
  const [address = "", fragment] = url.split("#");
  const joint = address.includes("?") ? (/[?&]$/.test(address) ? "" : "&") : "?";
  return `${address}${joint}${encoded(params)}${fragment === undefined ? "" : `#${fragment}`}`;
}

function headersOf(context: QueryContext, args: Args): Headers {
  const headers = new Headers();
  const lines = [
    ...(typeof args.header_file === "string" ? splitLines(readFile(context, args.header_file)) : []),
    ...(Array.isArray(args.header_list) ? args.header_list.map(str) : []),
  ];
  if (isMap(args.header_dict)) {
    for (const [name, value] of entriesOf(args.header_dict)) headers.set(str(name), str(value));
  }
  for (const line of lines) {
    const [name = "", value] = line.split(":");
    if (value !== undefined) headers.set(name.trim(), value.trim());
  }
  const agent = `Salt/${SALT_COMPAT}`;
  headers.set("User-Agent", args.agent === undefined ? `${agent} http.query()` : str(args.agent));
  if (truthy(args.username) && truthy(args.password)) {
    headers.set("Authorization", basicAuth(str(args.username), str(args.password)));
  }
  return headers;
}

function readFile(context: QueryContext, path: string): string {
  return withOsErrors(path, () => context.runtime.fs.readText(path));
}

function requestOf(context: QueryContext, address: string, args: Args): Request {
  const method = str(args.method ?? "GET");
  const headers = headersOf(context, args);
  const data = typeof args.data_file === "string" ? readFile(context, args.data_file) : args.data;
  const body = data === undefined || data === null
    ? undefined
    : data instanceof Uint8Array
    ? Uint8Array.from(data)
    : Uint8Array.from(utf8(encoded(data)));
  if (method === "POST" && !headers.has("Content-Type")) {
    headers.set("Content-Type", "application/x-www-form-urlencoded");
  }
  const url = new URL(withParameters(address, args.params));
  const authorization = takeUser(url);
  if (authorization !== undefined && !headers.has("Authorization")) headers.set("Authorization", authorization);
  return { url: url.href, method, headers, body };
}

/** A connection error with Python's text. */
function problem(error: unknown, seconds: number): { error: string; status?: number } {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const text = `${codeOf(cause)} ${messageOf(cause)} ${messageOf(error)}`;
  if (error instanceof Error && error.name === "TimeoutError") {
    return { status: 599, error: `HTTP 599: Timeout during request after ${seconds} seconds` };
  }
  if (/ECONNREFUSED|ConnectionRefused|refused/i.test(text)) return { error: "[Errno 111] Connection refused" };
  if (/ENOTFOUND|EAI_AGAIN|FailedToOpenSocket|dns error|lookup/i.test(text)) {
    return { error: "[Errno -2] Name or service not known" };
  }
  if (/ECONNRESET|ConnectionClosed|connection closed|other side closed|socket hang up|before message/i.test(text)) {
    return { status: 599, error: "HTTP 599: Connection closed" };
  }
  return { error: messageOf(cause) === "" ? messageOf(error) : messageOf(cause) };
}

/** Header names in their usual case. */
function headerMap(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    [...headers].map(([name, value]) => [name.replace(/(^|-)([a-z])/g, (part) => part.toUpperCase()), value]),
  );
}

/** The text of a body in the encoding of its header; bytes if it is not text, or bytes were asked for. */
function bodyText(bytes: Uint8Array, headers: Headers, decode: unknown): string | Uint8Array {
  const type = headers.get("content-type") ?? "";
  const charset = /^text\//.test(type) ? /charset="?([^\s";]+)/i.exec(type)?.[1] : undefined;
  if (charset !== undefined) return decodeText(bytes, charset);
  return decode === false ? bytes : textOf(bytes) ?? bytes;
}

/** What a request over https trusts and shows: `verify_ssl`, `ca_bundle`, `cert`. */
function trustOf(context: QueryContext, opts: Args, args: Args): HttpTrust {
  const { verify_ssl: verify = opts.verify_ssl, ca_bundle: ca = opts.ca_bundle, cert } = args;
  const [certFile, keyFile] = Array.isArray(cert) ? cert : [cert];
  return {
    ...(verify === false ? { verify } : {}),
    ...(typeof ca === "string" && ca !== "" ? { ca: readFile(context, ca) } : {}),
    ...(typeof certFile === "string" ? { cert: readFile(context, certFile) } : {}),
    ...(typeof keyFile === "string" ? { key: readFile(context, keyFile) } : {}),
  };
}

/** A body without its content-encoding: gzip and deflate, as in Salt. A few bytes may become very many: they are counted, too. */
async function decompressed(bytes: Uint8Array<ArrayBuffer>, headers: Headers, most: number): Promise<Uint8Array> {
  const format = DECOMPRESSED[headers.get("content-encoding") ?? ""];
  if (format === undefined || bytes.length === 0) return bytes;
  return await bodyBytes(new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format)), most);
}

/** Makes one request; a failure is a map with `error`. */
export async function query(context: QueryContext, url: unknown, args: Args): Promise<Record<string, unknown>> {
  const ret: Record<string, unknown> = {};
  let address = str(url);
  if (args.test === true) {
    if (args.test_url === undefined || args.test_url === null) return {};
    address = str(args.test_url);
    ret.test = true;
  }
  if (truthy(args.proxy_host)) {
    throw new CommandExecutionError(
      "Cannot use the argument proxy_host: set the option proxy_host, or pass opts='{proxy_host: …, proxy_port: …}'",
    );
  }
  const opts = isMap(args.opts) ? { ...context.opts, ...Object.fromEntries(entriesOf(args.opts)) } : context.opts;
  let request: Request;
  try {
    request = requestOf(context, address, args);
  } catch (error) {
    throw new CommandExecutionError(messageOf(error), { cause: error });
  }
  const proxyFor = proxiesOf({ opts: { ...opts, backend: args.backend ?? opts.backend }, runtime: context.runtime });
  const { connectMs, totalMs, maxBytes } = webLimits(opts);
  const most = Math.min(maxBytes, MOST_HELD);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(totalMs)]);
  let response: Response;
  let bytes: Uint8Array;
  try {
    const { url, method, headers, body } = request;
    const tls = trustOf(context, opts, args);
    response = await followRedirects(context.runtime.http, url, {
      method,
      headers,
      signal,
      connectMs,
      tls,
      // What HEAD returns is no content.
      toPlain: tls.verify === false || method === "HEAD",
      proxyFor,
      ...(body === undefined ? {} : { body }),
    });
    bytes = await decompressed(await bodyBytes(response.body, most), response.headers, most);
  } catch (error) {
    context.signal.throwIfAborted();
    const { error: text, status }: { error: string; status?: number } = error instanceof BodyTooLargeError
      ? {
        error: `${error.message}: ${maxBytes > MOST_HELD ? "fetch it with cp.get_url" : "http_max_body allows more"}`,
      }
      : error instanceof RedirectError
      ? { status: error.status, error: `HTTP ${error.status}: ${error.message}` }
      : problem(error, totalMs / 1000);
    return { ...ret, ...(status !== undefined ? { status } : args.status === true ? { status: 0 } : {}), error: text };
  }
  const body = bodyText(bytes, response.headers, args.decode_body);
  if (!response.ok && args.raise_error !== false) {
    return { ...ret, status: response.status, error: `HTTP ${response.status}: ${response.statusText}`, body };
  }
  return finished(context, { ...ret, body }, response, args);
}

/** Adds the requested fields to a return. */
async function finished(
  context: QueryContext,
  ret: Record<string, unknown>,
  response: Response,
  args: Args,
): Promise<Record<string, unknown>> {
  const text = ret.body as string | Uint8Array;
  if (typeof args.text_out === "string") overwrite(context.runtime, args.text_out, text);
  if (args.status === true) ret.status = response.status;
  if (args.headers === true) ret.headers = headerMap(response.headers);
  let asText = args.text === true;
  if (args.decode === true) {
    let type = str(args.decode_type ?? "auto");
    if (type === "auto") {
      const content = response.headers.get("content-type") ?? "application/json";
      type = ["xml", "json", "yaml"].find((kind) => content.includes(kind)) ?? "plain";
    }
    if (!DECODES.includes(type)) {
      return { ...ret, error: `Invalid decode_type specified. Valid decode types are: ${repr(DECODES)}` };
    }
    if (type === "plain") asText = true;
    else ret.dict = await decoded(type, typeof text === "string" ? text : textOf(text) ?? "");
    if (typeof args.decode_out === "string") overwrite(context.runtime, args.decode_out, text);
  }
  if (asText) ret.text = text;
  return ret;
}

async function decoded(type: string, text: string): Promise<unknown> {
  try {
    if (type === "json") return deepCopy(parseOrderedJson(text));
    if (type === "xml") return parseXml(text).children.map(xmlToMap);
    const { parseYaml } = await import("../../../language/yaml/document.ts");
    return parseYaml(text).value;
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandExecutionError(error.message, { cause: error });
    throw error;
  }
}
