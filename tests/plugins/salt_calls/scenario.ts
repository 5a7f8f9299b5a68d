import * as fs from "node:fs";
import { createServer, type Server } from "node:http";
import path from "node:path";
import { MINION_OPTIONS } from "../../../src/model/config/minion_opts.ts";
import { InvocationError, parseInput } from "../../../src/model/job/args.ts";
import {
  CommandExecutionError,
  CommandNotFoundError,
  InvalidArgumentsError,
  SaltInvocationError,
} from "../../../src/model/loader/family.ts";
import { ArgumentMismatchError } from "../../../src/model/loader/signature.ts";
import { callFunction, MissingFunctionError } from "../../../src/host/minion/processes/execute_job.ts";
import { entriesOf, Float, isMap } from "../../../src/language/python/values.ts";
import { render } from "../../../src/plugins/outputters/mod.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import type { ProcessHost } from "../../../src/runtime/process.ts";
import { testMinion } from "../../support/context.ts";
import { installStandIns, type StandIn } from "./stand_in.ts";

/** What stands in a directory: text of a file, a link, or a directory whose name ends in a slash. */
export type Files = Record<string, string | { link: string }>;

export interface CallScenario {
  name: string;
  files?: Files;
  /** Each a function and its words, as on a command line. `{D}` is the directory of the scenario. */
  calls: string[][];
  /** Keys whose values differ from run to run: only their kind is compared. */
  vary?: readonly string[];
  /** Parts of texts that differ from run to run, each with what stands for it. */
  replace?: readonly [RegExp, string][];
  /** Why the answers hold for one machine only: they are compared with a Salt beside us and not with recorded ones. */
  live?: string;
  /** Values change from moment to moment: of numbers and texts only the kind is compared. @default false */
  shapes?: boolean;
  /** Programs that must be there. */
  programs?: readonly string[];
  /** Programs that must not be there: it was recorded without them. */
  without?: readonly string[];
  /** A web server is there: `{S}` is its address, and `{closed}` one where nobody listens. @default false */
  server?: boolean;
  /** Only root can do it. */
  root?: boolean;
  /** Devices that must be there; nothing is done to them. */
  devices?: readonly string[];
  /** Programs that stand in for the host's; what they were called with is left in `programs.log`. */
  standIns?: Record<string, StandIn>;
}

/** How the calls of a scenario ended. */
export interface Answers {
  results: Record<string, unknown>[];
  /** What was left in the directory: path → mode and content. */
  tree: Record<string, string>;
}

/** Grains that both have, so that no fact of the machine decides. */
export const GRAINS = { roles: ["web", "db"], site: { dc: "east", rack: 7 } };

/** Makes the directory of a scenario anew. */
export function makeTree(root: string, files: Files): void {
  fs.rmSync(root, { recursive: true, force: true });
  fs.mkdirSync(root, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    if (name.endsWith("/")) fs.mkdirSync(file, { recursive: true });
    else if (typeof content !== "string") fs.symlinkSync(content.link.replaceAll("{D}", root), file);
    else {
      fs.writeFileSync(file, content, "latin1");
      fs.chmodSync(file, 0o644);
    }
  }
}

function treeOf(root: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of fs.readdirSync(path.join(root, below))) {
    const relative = path.join(below, name);
    const file = path.join(root, relative);
    const stat = fs.lstatSync(file);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) found[relative] = `-> ${fs.readlinkSync(file)}`;
    else if (stat.isFile()) found[relative] = `${mode} ${fs.readFileSync(file, "latin1")}`;
    else found[relative] = `${mode} ${stat.isDirectory() ? "directory" : "special"}`;
    if (stat.isDirectory()) Object.assign(found, treeOf(root, relative));
  }
  return found;
}

/** A value as JSON would carry it. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: Array.from(value, (byte) => String.fromCharCode(byte)).join("") };
  if (value instanceof Float || typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return Array.from(value, plain);
  if (isMap(value)) return Object.fromEntries(entriesOf(value).map(([key, item]) => [String(key), plain(item)]));
  return value ?? null;
}

/** A failure as `salt-call` tells of it. */
async function failure(fun: string, error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof MissingFunctionError) return `${error.message}\n`;
  if (error instanceof CommandNotFoundError) return `Command required for '${fun}' not found: ${error.message}\n`;
  if (error instanceof CommandExecutionError) {
    const info = error.info === undefined
      ? ""
      : `${/[.!?]$/.test(error.message) ? "" : "."} Additional info follows:\n\n${
        (await render("nested", error.info)).text
      }`;
    return `Error running '${fun}': ${error.message}${info}\n`;
  }
  if (error instanceof InvocationError) return `SaltInvocationError: ${error.message}`;
  if (
    error instanceof SaltInvocationError || error instanceof ArgumentMismatchError ||
    error instanceof InvalidArgumentsError
  ) return `\nPassed invalid arguments: ${error.message}.\n\nUsage:\n`;
  return `${error.name.replace(/^.*\./, "")}: ${error.message}`;
}

/** Answers with what differs from run to run replaced. */
export function settled(
  answers: Answers,
  root: string,
  { vary = [], replace = [], shapes = false, server = false }: CallScenario,
): Answers {
  const names = new Set(["pid", ...vary]);
  // On Deno a program knows itself by its full path. Ports are free ones.
  const rules = [
    ...replace,
    ...(server ? [[/http:\/\/127\.0\.0\.1:\d+/g, "{S}"] as const] : []),
    [/(?:\/usr)?\/bin\/(?=\w+: )/g, ""] as const,
  ];
  const text = (value: string) =>
    rules.reduce(
      (result, [what, by]) => result.replaceAll(what, by),
      value.replaceAll(root, "{D}").replaceAll(root.slice(1), "{D without its slash}"),
    );
  const walk = (value: unknown): unknown => {
    if (shapes && (typeof value === "string" || typeof value === "number")) return typeof value;
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [text(key), names.has(key) ? typeof item : walk(item)]),
    );
  };
  return walk(answers) as Answers;
}

/** What the web server of scenarios has under each path: code, kind and content. */
const PAGES: Record<string, [code: number, type: string, content: string | Uint8Array]> = {
  "/text": [200, "text/plain; charset=utf-8", "h\u00e9llo\n"],
  "/latin": [200, "text/plain; charset=iso-8859-1", Uint8Array.of(0xe9)],
  "/bytes": [200, "application/octet-stream", Uint8Array.of(0, 255)],
  "/json": [200, "application/json", '{"a": [1, 2.0, null], "b": {"c": "d"}}'],
  "/yaml": [200, "text/yaml", "a: [1, b]\n"],
  "/xml": [200, "text/xml", "<r><a>1</a><b><c>x &amp; y</c><c>z</c></b><e/></r>"],
  "/error": [500, "text/plain", "it broke"],
};

/** Where a web server listens, and where nobody does. */
interface Addresses {
  open: string;
  closed: string;
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

/** Runs `use` with the address of a web server that answers on this host alone. */
export async function withServer<T>(use: (addresses: Addresses) => Promise<T>): Promise<T> {
  const gone = createServer();
  const closed = await listening(gone);
  await new Promise((resolve) => gone.close(resolve));
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { pathname, search } = new URL(request.url ?? "/", "http://x");
      const reply = (code: number, heads: Record<string, string>, content: string | Uint8Array = "") =>
        void response.writeHead(code, heads).end(content);
      if (pathname === "/moved") return reply(302, { Location: "/text" });
      if (pathname === "/echo") {
        const { "user-agent": agent, "content-type": type, authorization, "x-own": own } = request.headers;
        const body = chunks.map((chunk) => new TextDecoder().decode(chunk)).join("");
        const seen = { method: request.method, search, agent, type, authorization, own, body };
        return reply(200, { "Content-Type": "application/json" }, JSON.stringify(seen));
      }
      const [code, type, content] = PAGES[pathname] ?? [404, "text/plain", "nothing here"];
      reply(code, { "Content-Type": type }, content);
    });
  });
  const open = await listening(server);
  try {
    return await use({ open, closed });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** The calls and files of a scenario, for a directory and the address of a server. */
export function placed(
  scenario: CallScenario,
  root: string,
  server: Addresses = { open: "", closed: "" },
): { files: Files; calls: string[][] } {
  const calls = scenario.calls.map((words) =>
    words.map((word) =>
      word.replaceAll("{D}", root).replaceAll("{S}", server.open).replaceAll("{closed}", server.closed)
    )
  );
  return { files: scenario.files ?? {}, calls };
}

const DEFAULT_OPTS = Object.fromEntries(
  Object.entries(MINION_OPTIONS).map(([name, option]) => [name, option.default]),
);

/** The shell of commands that name none, for both sides: it words its errors in its own way. */
export const SHELL = "/bin/bash";

/** The host with that shell, on which programs of a directory go before others. */
function hostOf(host: ProcessHost, programs: string | undefined): ProcessHost {
  const own: Record<string, string> = { SHELL };
  if (programs !== undefined) own.PATH = `${programs}:${host.env("PATH") ?? "/usr/bin:/bin"}`;
  const env = { value: (name: string) => own[name] ?? host.env(name) };
  const environment = { value: () => ({ ...host.environment(), ...own }) };
  return Object.create(host, programs === undefined ? { env } : { env, environment });
}

/** Runs the calls of a scenario by our own modules. */
export async function ourAnswers(scenario: CallScenario, root: string): Promise<Answers> {
  if (scenario.server === true) return await withServer((addresses) => answersOf(scenario, root, addresses));
  return await answersOf(scenario, root);
}

async function answersOf(scenario: CallScenario, root: string, server?: Addresses): Promise<Answers> {
  const { files, calls } = placed(scenario, root, server);
  makeTree(root, files);
  const programs = installStandIns(scenario.standIns, root);
  // Beside it, so that nobody finds it there.
  const cachedir = `${root}.cache`;
  fs.rmSync(cachedir, { recursive: true, force: true });
  fs.mkdirSync(cachedir);
  const minion = await testMinion({
    runtime: { process: hostOf((await currentRuntime()).process, programs) },
    opts: {
      ...DEFAULT_OPTS,
      cachedir,
      pki_dir: path.join(root, "pki"),
      id: "alpha",
      "aliases.file": path.join(root, "aliases"),
      file_client: "local",
      file_roots: { base: [path.join(root, "roots")] },
    },
    grains: { id: "alpha", kernel: "Linux", os: "Debian", os_family: "Debian", ...GRAINS },
    master: null,
  });
  const results: Answers["results"] = [];
  for (const [fun = "", ...words] of calls) {
    try {
      const outcome = await callFunction({
        functions: minion.functions,
        context: () => minion.context,
        load: { fun, arg: parseInput(words), jid: "20240101000000000000", tgt: "salt-call", pid: 1 },
      });
      results.push({ return: plain(outcome.return), retcode: outcome.retcode });
    } catch (error) {
      results.push({ error: await failure(fun, error) });
    }
  }
  return settled({ results, tree: treeOf(root) }, root, scenario);
}

/** Answers with the call beside each, so that a difference tells of which it is. */
export function labelled(scenario: CallScenario, { results, tree }: Answers) {
  return { calls: results.map((result, at) => ({ call: scenario.calls[at]!.join(" "), ...result })), tree };
}
