/** The recorded exchanges with real salt-api as patterns, and how an answer of ours is compared with one. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

const FOLDER = new URL("../../golden-api/", import.meta.url);

export interface Golden {
  id: string;
  server: "rest_cherrypy" | "rest_tornado";
  title: string;
  as_user?: string;
  preconditions?: string[];
  server_options?: Record<string, unknown>;
  client_message?: string;
  request: { method: string; path: string; headers: Record<string, string>; json?: unknown; body?: string };
  response: {
    status: number;
    headers?: Record<string, string>;
    body_kind?: string;
    body?: unknown;
    raw?: string;
    title?: string;
    message?: string;
    frames?: string[];
    messages?: string[];
    members?: { name: string; mode: string; size: string; content: string }[];
    total_bytes?: number;
  };
}

/** All of them, by name of the file. */
export const GOLDENS: readonly Golden[] = readdirSync(FOLDER).filter((name) => name.endsWith(".json")).sort()
  .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as Golden);

const PLACEHOLDERS: Record<string, string> = {
  HEX40: "[0-9a-f]{40}",
  EAUTH_TOKEN: "[0-9a-f]{64}",
  JID: "\\d{20}",
  EPOCH: "\\d+(?:\\.\\d+)?",
  EPOCH_INT: "\\d+",
  STAMP: "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{6})?",
  STARTTIME: "\\d{4}, [A-Z][a-z]{2} \\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{6}",
  TIME: "\\d\\d:\\d\\d:\\d\\d\\.\\d+",
  MS: "\\d+(?:\\.\\d+)?",
  HTTPDATE: "[A-Z][a-z]{2}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT",
  LEN: "\\d+",
  HOST: '[^/" ]+',
  FINGERPRINT: "[0-9a-f]{2}(?::[0-9a-f]{2}){31}",
  FRAMES: "[\\s\\S]*",
  DOCSTRING: "[\\s\\S]*",
  ROOT: '[^"]*',
  ID: ".*",
  "PEM PUBLIC KEY": "-----BEGIN [A-Z ]*PUBLIC KEY-----[\\s\\S]+-----END [A-Z ]*PUBLIC KEY-----\\s*",
  "PEM RSA PRIVATE KEY": "-----BEGIN (?:RSA )?PRIVATE KEY-----[\\s\\S]+-----END (?:RSA )?PRIVATE KEY-----\\s*",
};
/** Members that stand for any number of others. */
const OTHERS = new Set(["<OTHER_GRAINS>", "<MORE_JOBS>"]);

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function pattern(text: string): RegExp {
  const source = text.split(/(<[A-Z][A-Z_0-9 ]*>)/).map((part) => {
    const name = part.slice(1, -1);
    return part.startsWith("<") && Object.hasOwn(PLACEHOLDERS, name) ? PLACEHOLDERS[name] : escape(part);
  }).join("");
  return new RegExp(`^${source}$`);
}

/** A list whose order is not significant: who answered first. */
const UNORDERED = /^\$\.return\.0(?:\.data\.return)?$/;

function compareText(wanted: string, got: unknown, where: string): void {
  // Times are numbers in the answer, and texts in the pattern.
  const text = typeof got === "number" ? String(got) : got;
  assert.equal(typeof text, "string", `${where}: ${JSON.stringify(got)} against ${JSON.stringify(wanted)}`);
  assert.match(text as string, pattern(wanted), where);
}

/** Fails unless a value matches the recorded one. */
export function compare(wanted: unknown, got: unknown, where = "$"): void {
  if (typeof wanted === "string") return compareText(wanted, got, where);
  if (Array.isArray(wanted)) {
    assert.ok(Array.isArray(got), `${where} is no list: ${JSON.stringify(got)}`);
    assert.equal(got.length, wanted.length, `${where}: ${JSON.stringify(got)}`);
    const simple = wanted.every((item) => typeof item === "string") && UNORDERED.test(where);
    const values = simple ? [[...wanted].sort(), [...got].sort()] : [wanted, got];
    values[0]!.forEach((item, at) => compare(item, values[1]![at], `${where}.${at}`));
    return;
  }
  if (typeof wanted !== "object" || wanted === null) return assert.deepEqual(got, wanted, where);
  assert.ok(typeof got === "object" && got !== null && !Array.isArray(got), `${where}: ${JSON.stringify(got)}`);
  const left = new Set(Object.keys(got));
  const names = Object.keys(wanted);
  for (const name of names) {
    if (OTHERS.has(name)) continue;
    const value = (wanted as Record<string, unknown>)[name];
    const candidates = left.has(name) ? [name] : [...left].filter((other) => pattern(name).test(other));
    // Of several that the pattern fits, any may be the recorded one.
    const found = candidates.find((other) => fits(value, (got as Record<string, unknown>)[other])) ?? candidates[0];
    assert.ok(found !== undefined, `${where} lacks ${name}: ${JSON.stringify(got)}`);
    left.delete(found);
    compare(value, (got as Record<string, unknown>)[found], `${where}.${name}`);
  }
  if (!names.some((name) => OTHERS.has(name))) assert.deepEqual([...left], [], `${where} has more`);
}

function fits(wanted: unknown, got: unknown): boolean {
  try {
    compare(wanted, got);
    return true;
  } catch {
    return false;
  }
}

const SHAPES: Record<string, (value: unknown) => boolean> = {
  bool: (value) => typeof value === "boolean",
  int: (value) => Number.isInteger(value),
  float: (value) => typeof value === "number",
  str: (value) => typeof value === "string",
};

/** Headers that are not part of the interface, or that the runtime sets itself. */
const INSIGNIFICANT = new Set([
  "server",
  "date",
  "content-length",
  "transfer-encoding",
  "connection",
  "etag",
  "upgrade",
  "sec-websocket-accept",
  "sec-websocket-version",
]);

function compareHeaders(golden: Golden, headers: Headers): void {
  for (const [name, wanted] of Object.entries(golden.response.headers ?? {})) {
    if (INSIGNIFICANT.has(name.toLowerCase())) continue;
    const got = headers.get(name);
    assert.ok(got !== null, `${golden.id}: no ${name} in ${JSON.stringify([...headers])}`);
    if (name === "Vary") assert.ok(got.includes(wanted), `Vary: ${got}`);
    // Ours has HttpOnly and SameSite besides.
    else if (name === "Set-Cookie") assert.match(got, new RegExp(pattern(wanted).source.replace(/\$$/, "(?:;.*)?$")));
    else assert.match(got, pattern(wanted), name);
  }
  if (golden.response.headers === undefined) return;
  const cookie = Object.hasOwn(golden.response.headers, "Set-Cookie");
  assert.equal(headers.get("Set-Cookie") !== null, cookie, `${golden.id}: Set-Cookie`);
}

function compareTar(golden: Golden, bytes: Uint8Array): void {
  const { members = [], total_bytes } = golden.response;
  assert.equal(bytes.length, total_bytes);
  const text = new TextDecoder("latin1").decode(bytes);
  let at = 0;
  for (const { name, mode, content } of members) {
    const field = (from: number, length: number) => text.slice(at + from, at + from + length).replace(/[\0 ]+$/, "");
    assert.equal(field(0, 100), name);
    assert.equal(`0o${Number.parseInt(field(100, 8), 8).toString(8)}`, mode);
    const size = Number.parseInt(field(124, 12), 8);
    assert.match(text.slice(at + 512, at + 512 + size), pattern(content), name);
    at += 512 + Math.ceil(size / 512) * 512;
  }
}

/** A batch answers in order of arrival, which varies. */
function inOrder(golden: Golden, body: unknown): unknown {
  if (golden.id !== "cp-local-batch") return body;
  const rows = (body as { return: Record<string, unknown>[] }).return;
  return { return: [...rows].sort((a, b) => Object.keys(a)[0]! < Object.keys(b)[0]! ? -1 : 1) };
}

/** Fails unless an answer matches the recorded one. */
export async function compareAnswer(golden: Golden, answer: Response): Promise<void> {
  const { response } = golden;
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  assert.equal(answer.status, response.status, `${golden.id}: ${text.slice(0, 2000)}`);
  compareHeaders(golden, answer.headers);
  switch (response.body_kind) {
    case "json":
      return compare(inOrder(golden, response.body), inOrder(golden, JSON.parse(text)));
    case "text":
      return assert.match(text, pattern(response.raw!));
    case "cherrypy-error-page": {
      const unescaped = text.replaceAll("&quot;", '"').replaceAll("&#x27;", "'").replaceAll("&amp;", "&");
      assert.ok(unescaped.includes(`<title>${response.title}</title>`), text);
      assert.ok(unescaped.includes(`<p>${response.message}</p>`), text);
      return;
    }
    case "empty":
      return assert.equal(text, "");
    case "tar":
      return compareTar(golden, bytes);
    case "json-shape":
      return compareShape(response.body, JSON.parse(text));
    default:
      assert.fail(`${golden.id}: no way to compare ${response.body_kind}`);
  }
}

/** Statistics count what there is: a gateway has no worker threads, and the same counters. */
function compareShape(wanted: unknown, got: unknown): void {
  const name = "CherryPy Applications";
  const [names, values] = [wanted, got].map((value) => (value as Record<string, Record<string, unknown>>)[name]!);
  for (const [member, shape] of Object.entries(names!)) {
    if (typeof shape !== "string" || shape === "list") continue;
    const fits = SHAPES[shape];
    assert.ok(fits !== undefined && member in values!, member);
    // Without statistics the original has texts in place of two times.
    if (!member.endsWith("Time")) assert.ok(fits(values![member]), `${member}: ${values![member]}`);
  }
}

/** Frames of a stream as far as they were recorded: those of the described action, in their order. */
export function compareFrames(golden: Golden, frames: readonly string[]): void {
  let at = 0;
  for (const wanted of golden.response.frames ?? golden.response.messages ?? []) {
    const found = frames.findIndex((frame, index) => index >= at && fitsFrame(wanted, frame));
    assert.ok(found >= 0, `${golden.id}: no frame like ${wanted}\nin ${JSON.stringify(frames.slice(at), null, 1)}`);
    at = found + 1;
  }
}

/** The order of members within is not significant. */
function fitsFrame(wanted: string, got: string): boolean {
  const [head, body] = split(wanted);
  const [ourHead, ourBody] = split(got);
  try {
    assert.match(ourHead, pattern(head));
    if (body === undefined) return ourBody === undefined;
    compare(withoutTokens(JSON.parse(body)), JSON.parse(ourBody!));
    return true;
  } catch {
    return false;
  }
}

function split(frame: string): [head: string, body: string | undefined] {
  const at = frame.indexOf("{");
  return at < 0 ? [frame, undefined] : [frame.slice(0, at), frame.slice(at)];
}

/** Events of webhooks have no credentials in them: a difference on purpose. */
function withoutTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTokens);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => name !== "X-Auth-Token" && name !== "Cookie")
      .map(([name, item]) => [name, withoutTokens(item)]),
  );
}
