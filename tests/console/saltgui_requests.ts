/** The requests that SaltGUI's pages about states send, one by one, as its scripts build them. */
import assert from "node:assert/strict";
import { type SaltGuiSite, USER } from "./saltgui_fleet.ts";

/** A command and what was answered. */
export interface Exchange {
  name: string;
  status: number;
  body: unknown;
}

export interface Step {
  /** The button, or what a page loads by itself. */
  name: string;
  /** What is sent; `jid` is that of the last job of `local_async`. */
  low(minion: string, jid: string): Record<string, unknown>;
  /** The part of the answer that is compared, where the rest hangs on the host or the release. */
  part?(returned: unknown): unknown;
}

const onMinion = (fun: string, more: Record<string, unknown> = {}) => (tgt: string) => ({
  client: "local",
  fun,
  tgt,
  full_return: false,
  tgt_type: "glob",
  ...more,
});

/** In the order in which a person would press them. */
const STEPS: readonly Step[] = [
  { name: "HighState: keys", low: () => ({ client: "wheel", fun: "key.list_all" }) },
  {
    name: "command box: providers",
    low: () => ({ client: "local", fun: "test.providers", tgt: "*", tgt_type: "glob" }),
  },
  { name: "Test state…", low: onMinion("state.apply", { kwarg: { test: true } }) },
  { name: "Apply state…", low: onMinion("state.apply") },
  { name: "Apply state… of all minions", low: () => onMinion("state.apply")("*") },
  {
    name: "Apply state… of chosen minions",
    low: (tgt) => ({ ...onMinion("state.apply")(tgt), tgt_type: "list" }),
  },
  { name: "Apply state… with full_return", low: onMinion("state.apply", { full_return: true }) },
  { name: "a task's circle", low: onMinion("state.sls_id", { arg: ["quiet"], kwarg: { mods: "common" } }) },
  { name: "a file of states", low: onMinion("state.apply", { arg: ["common"], kwarg: { test: true } }) },
  { name: "state.highstate", low: onMinion("state.highstate", { kwarg: { test: true } }) },
  { name: "an unknown file", low: onMinion("state.apply", { arg: ["nope"] }) },
  { name: "an unknown id", low: onMinion("state.sls_id", { arg: ["nope"], kwarg: { mods: "common" } }) },
  { name: "Async", low: (tgt) => ({ ...onMinion("state.apply", { arg: ["common"] })(tgt), client: "local_async" }) },
  { name: "HighState: a job", low: (_tgt, jid) => ({ client: "runner", fun: "jobs.list_job", jid }) },
  {
    name: "HighState: jobs",
    low: () => ({ client: "runner", fun: "jobs.list_jobs", search_function: ["state.highstate", "state.apply"] }),
  },
  {
    name: "Orchestrations",
    low: () => ({ arg: ["*"], client: "runner", fun: "state.orchestrate_show_sls" }),
  },
  {
    name: "Test orchestration…",
    low: () => ({ test: true, client: "runner", full_return: false, fun: "state.orchestrate", arg: ["orch"] }),
  },
  {
    name: "Apply orchestration…",
    low: () => ({ client: "runner", full_return: false, fun: "state.orchestrate", arg: ["orch"] }),
  },
];

/** Sends all of them, as a browser does: a text without a type of its own, a token in a header. */
export async function exchange(site: SaltGuiSite, steps: readonly Step[] = STEPS): Promise<Exchange[]> {
  const post = async (page: string, params: unknown, token = "") => {
    const headers = { Accept: "application/json", "Cache-Control": "no-cache", "X-Auth-Token": token };
    const answer = await fetch(site.url + page, { method: "POST", headers, body: JSON.stringify(params) });
    return { status: answer.status, text: await answer.text() };
  };
  const login = await post("/login", USER);
  assert.equal(login.status, 200, login.text);
  const { token } = (JSON.parse(login.text) as { return: { token: string }[] }).return[0]!;
  const exchanges: Exchange[] = [];
  let jid = "";
  for (const { name, low, part } of steps) {
    const chunk = low(site.minion, jid);
    let answer = await post("/", chunk, token);
    // A page asks for a job until its minion has returned.
    while (name === "HighState: a job" && !answer.text.includes(`"retcode"`)) answer = await post("/", chunk, token);
    const body = JSON.parse(answer.text) as { return: Record<string, unknown>[] };
    if (chunk.client === "local_async") jid = String(body.return[0]!.jid);
    if (part !== undefined) body.return = body.return.map(part) as Record<string, unknown>[];
    if (chunk.fun === "test.providers") body.return = [onlyCommon(body.return[0]!)];
    exchanges.push({ name, status: answer.status, body: general(body, site) });
  }
  return exchanges;
}

/** Real Salt has more modules than we, and which ones hangs on the host. */
function onlyCommon(answer: Record<string, unknown>): Record<string, unknown> {
  const files = ["cmdmod", "grains", "mod_random", "pillar", "state", "test", "timezone", "useradd"];
  return Object.fromEntries(
    Object.entries(answer).map(([id, providers]) => [
      id,
      Object.fromEntries(files.map((file) => [file, (providers as Record<string, string>)[file]])),
    ]),
  );
}

const VOLATILE: Readonly<Record<string, string>> = {
  start_time: "<TIME>",
  duration: "<MS>",
  total_duration: "<MS>",
  StartTime: "<STARTTIME>",
  EndTime: "<STAMP>",
  _stamp: "<STAMP>",
  tag: "<TAG>",
  jid: "<JID>",
  __jid__: "<JID>",
};

/** An answer without what is another each time, so that the answers of two sites can be compared. */
function general(value: unknown, site: SaltGuiSite): unknown {
  const text = (said: string) =>
    said.replaceAll(site.directory, "<ROOT>").replaceAll(site.minion, "<MINION>").replace(/\b20\d{18}\b/g, "<JID>");
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((item) => general(item, site));
  if (typeof value !== "object" || value === null) return value;
  const jids = Object.keys(value).filter((name) => /^20\d{18}$/.test(name)).sort();
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const isTold = Object.hasOwn(VOLATILE, name) && (typeof item === "string" || typeof item === "number");
      const shown = jids.includes(name) ? `<JID> ${jids.indexOf(name)}` : text(name);
      return [shown, isTold && item !== "" ? VOLATILE[name] : general(item, site)];
    }),
  );
}
