/** Trees of states and pillar: what they are, and what Brine answers to their calls in the form of `record.py`. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { callMain } from "../../cli/programs/call.ts";
import { runInProcess } from "../support/program.ts";

/** Directories of a tree by environment. */
type Roots = Record<string, string[]>;

export interface Tree {
  /** Of states. @default `{base: ["states"]}` */
  file_roots: Roots;
  /** @default `{base: ["pillar"]}` */
  pillar_roots: Roots;
  /** Options of each minion. */
  opts: Record<string, unknown>;
  /** Id → what is a host's own. */
  hosts: Record<string, { grains?: Record<string, unknown>; opts?: Record<string, unknown> }>;
  /** Functions with their arguments, as on a command line: a text or its words. */
  calls: (string | string[])[];
}

/** What a function returned. */
export interface Answer {
  return?: unknown;
  /** The class of an exception. */
  raised?: string;
  message?: string;
}

/** Host → an answer for each call. */
export type Answers = Record<string, Answer[]>;

/** A tree of this folder, with its directories as full paths. */
export function readTree(directory: string): Tree {
  const given = JSON.parse(readFileSync(join(directory, "tree.json"), "utf8")) as Partial<Tree>;
  const full = (roots: Roots) =>
    Object.fromEntries(Object.entries(roots).map(([env, all]) => [env, all.map((one) => resolve(directory, one))]));
  return {
    opts: {},
    hosts: { "web1.example.com": {} },
    calls: [],
    ...given,
    file_roots: full(given.file_roots ?? { base: ["states"] }),
    pillar_roots: full(given.pillar_roots ?? { base: ["pillar"] }),
  };
}

/** Facts of hosts that do not come from the machine. */
const GRAINS: Record<string, unknown> = {
  kernel: "Linux",
  os: "Debian",
  os_family: "Debian",
  osfinger: "Debian-12",
  osrelease: "12",
  osmajorrelease: 12,
  oscodename: "bookworm",
  oscodenames: ["bookworm"],
  osarch: "amd64",
  cpuarch: "x86_64",
  init: "systemd",
  num_cpus: 4,
  mem_total: 8000,
  saltversion: "3006",
};

/** The configuration of each host; `{own}` stands for a directory of the host. */
export function configurations(
  { hosts, file_roots, pillar_roots, opts }: Tree,
): Record<string, Record<string, unknown>> {
  const config = ([id, host]: [string, Tree["hosts"][string]]) => {
    const [short] = id.split(".");
    return [id, {
      id,
      file_client: "local",
      root_dir: "{own}",
      cachedir: "{own}/cache",
      state_events: false,
      file_roots,
      pillar_roots,
      ...opts,
      ...host.opts,
      grains: { ...GRAINS, host: short, fqdn: id, nodename: id, ...host.grains },
    }];
  };
  return Object.fromEntries(Object.entries(hosts).map(config));
}

/** What minions without a master answer that have these files. */
export async function ourAnswers(tree: Tree): Promise<Answers> {
  const found: Answers = {};
  for (const [id, config] of Object.entries(configurations(tree))) {
    const own = mkdtempSync(join(tmpdir(), "brine-trees-"));
    try {
      found[id] = [];
      mkdirSync(`${own}/etc`);
      writeFileSync(`${own}/etc/minion`, JSON.stringify(config).replaceAll("{own}", own));
      for (const call of tree.calls) found[id].push(await answer(own, call));
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  }
  return found;
}

async function answer(own: string, call: string | string[]): Promise<Answer> {
  const argv = [
    "-c",
    `${own}/etc`,
    "--local",
    "-l",
    "quiet",
    "--out",
    "json",
    ...typeof call === "string" ? call.split(" ") : call,
  ];
  const { stdout, stderr } = await runInProcess("salt-call", callMain, argv);
  const text = stdout.replaceAll(own, "{own}");
  try {
    return { return: (JSON.parse(text) as { local: unknown }).local };
  } catch {
    return { raised: "error", message: text + stderr };
  }
}

/** Times; and from which file an SLS was included, which 3006 does not say. */
const FREE = new Set(["start_time", "duration", "__sls_included_from__"]);

/** Changes in an order of their own: Salt goes through sets. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.every((item) => typeof item === "string") ? value.toSorted() : value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, sorted(item)]);
  return Object.fromEntries(entries.toSorted(([a], [b]) => a < b ? -1 : 1));
}

/** An answer without what differs in each run: times, numbers of processes, and the order of what is a set in Salt. */
export function settled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(settled);
  if (typeof value === "string") {
    return value.replace(/(?<=^One or more requisite failed: ).*$/m, (names) => names.split(", ").toSorted().join(", "))
      .replace(/Traceback \(most[^]*\n(?=\S)/, "Traceback: ")
      .replace(/^#### [^]*/, (files) => files.split(/\n+(?=#### )/).toSorted().join("\n"));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !FREE.has(key))
    .map(([key, item]) => [key, key === "changes" ? sorted(item) : item] as const);
  const results = entries.length > 0 && entries.every(([, item]) => typeof item?.__run_num__ === "number");
  if (results) entries.sort(([, a], [, b]) => a.__run_num__ - b.__run_num__);
  return Object.fromEntries(entries.map(([key, item]) => [key, key === "pid" ? 0 : settled(item)]));
}
