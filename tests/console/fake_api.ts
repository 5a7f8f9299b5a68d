/**
 * A salt-api with any number of simulated minions: for sizes, speeds and failures that real fleets do not show on demand.
 * Responses have the shapes of real ones.
 */
import { randomBytes } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import path from "node:path";
import { newJid } from "../../src/model/job/jid.ts";
import { systemClock } from "../../src/base/async/clock.ts";

const CONSOLE = path.resolve(import.meta.dirname, "../../dist/console");

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

export interface FakeOptions {
  minions: number;
  pending?: number;
  /** Returns of a job in a second. @default 200 */
  returnsPerSecond?: number;
  /** Whether it names outcomes, as a Brine master does. @default false */
  outcomes?: boolean;
  /** Whether it previews targets, as a Brine gateway does. @default false */
  previews?: boolean;
  /** Functions that the account may not call. @default none */
  forbidden?: string[];
  /** What a session says of the account's permissions. @default all */
  perms?: unknown[];
  /** The built console that it serves. @default dist/console */
  site?: string;
}

type Low = Record<string, unknown>;

/** The password of every account. */
export const PASSWORD = "let-me-in";

export class FakeApi {
  readonly minions: string[] = [];
  readonly pending = new Set<string>();
  readonly accepted = new Set<string>();
  /** Ids of accepted keys for which another key was denied. */
  readonly denied = new Set<string>();
  /** Fingerprints of keys that are other ones than at first. */
  readonly fingers: Record<string, string> = {};
  /** The lowstates of all requests, in order. */
  readonly calls: Low[] = [];
  readonly #options: Required<FakeOptions>;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #sessions = new Set<string>();
  readonly #streams = new Set<ServerResponse>();
  readonly #jobs = new Map<string, { load: Low; minions: string[]; result: Record<string, Low> }>();
  readonly #timers = new Set<ReturnType<typeof setInterval>>();
  #url = "";
  /** While it is true, no minion returns. */
  held = false;
  /** False: the master's configuration has no `reactor`. */
  hasReactor = true;
  readonly reactors: Record<string, string[]>[] = [{ "salt/minion/*/start": ["/srv/reactor/start.sls"] }];
  readonly keyHistory: Low[] = [];
  /** The schedule of every minion. */
  readonly schedule: Record<string, Low | undefined> = {
    nightly: {
      function: "state.apply",
      args: ["web"],
      cron: "30 2 * * *",
      enabled: true,
      maxrunning: 1,
      name: "nightly",
    },
    uptime: { function: "status.uptime", minutes: 10, splay: 30, enabled: false, maxrunning: 1, jid_include: true },
  };
  /** The beacons of every minion. */
  readonly beacons: Low = { load: [{ averages: { "1m": [0, 4] } }, { interval: 10 }] };
  /** Previews wait for this promise. */
  told: Promise<void> = Promise.resolve();
  /** False while it has no master. */
  master = true;

  constructor(options: FakeOptions) {
    this.#options = {
      pending: 2,
      returnsPerSecond: 200,
      outcomes: false,
      previews: false,
      forbidden: [],
      perms: [".*", "@wheel", "@runner", "@jobs"],
      site: CONSOLE,
      ...options,
    };
    for (let at = 0; at < options.minions; at++) {
      const id = `${["web", "db", "cache", "edge"][at % 4]}${String(Math.floor(at / 4) + 1).padStart(4, "0")}.example`;
      this.minions.push(id);
      this.accepted.add(id);
    }
    for (let at = 0; at < this.#options.pending; at++) this.pending.add(`new${at + 1}.example`);
  }

  /** Address of the console, once it is open. */
  get url(): string {
    return `${this.#url}/console/`;
  }

  open(): Promise<this> {
    return new Promise((resolve) =>
      this.#server.listen(0, "127.0.0.1", () => {
        const address = this.#server.address();
        this.#url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
        resolve(this);
      })
    );
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.dropStreams();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Ends all sessions, as a restart of the server does. */
  expireSessions(): void {
    this.#sessions.clear();
    this.dropStreams();
  }

  /** Cuts the event streams. */
  dropStreams(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
  }

  fire(tag: string, data: Low): void {
    const text = `tag: ${tag}\ndata: ${
      JSON.stringify({ tag, data: { ...data, _stamp: new Date().toISOString() } })
    }\n\n`;
    for (const stream of this.#streams) stream.write(text);
  }

  /** Fires this many events a second until it is closed. */
  rain(perSecond: number): void {
    let at = 0;
    this.#every(20, () => {
      for (let count = 0; count < perSecond / 50; count++) {
        const id = this.minions[at++ % this.minions.length]!;
        this.fire(`salt/beacon/${id}/load/`, { id, "1m": at % 7 });
      }
    });
  }

  #every(ms: number, call: () => void): () => void {
    const timer = setInterval(call, ms);
    this.#timers.add(timer);
    return () => {
      clearInterval(timer);
      this.#timers.delete(timer);
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", "http://fake");
    if (pathname.startsWith("/console")) return this.#file(pathname, response);
    const session = /session_id=(\w+)/.exec(request.headers.cookie ?? "")?.[1] ?? "";
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const text = Buffer.concat(chunks).toString();
    const body = (text === "" ? {} : JSON.parse(text)) as Low;
    if (pathname === "/login") return this.#login(body, response);
    if (!this.#sessions.has(session)) {
      return page(response, 401, "No permission -- see authorization schemes");
    }
    if (pathname === "/stats") return json(response, {});
    if (pathname === "/logout") {
      this.#sessions.delete(session);
      return json(response, { return: "Your token has been cleared" });
    }
    if (pathname === "/events") {
      response.writeHead(200, { "Content-Type": "text/event-stream;charset=utf-8", "Cache-Control": "no-cache" });
      response.write("retry: 400\n");
      this.#streams.add(response);
      request.on("close", () => this.#streams.delete(response));
      return;
    }
    if (pathname === "/ready" && this.#options.previews) return json(response, {}, {}, this.master ? 200 : 503);
    if (pathname === "/preview" && this.#options.previews) return await this.#preview(body, response);
    if (pathname !== "/") return page(response, 404, "The path was not found.");
    if (Array.isArray(body)) {
      this.calls.push(...body);
      return json(response, { return: body.map((low: Low) => this.#runner(String(low.fun), low)) });
    }
    this.calls.push(body);
    this.#run(body, response);
  }

  async #preview(low: Low, response: ServerResponse): Promise<void> {
    await this.told;
    if (this.#options.forbidden.includes(String(low.fun))) return page(response, 401, "Authorization error occurred.");
    const [name, value] = String(low.tgt).split(":");
    const minions = low.tgt_type === "grain"
      ? this.minions.filter((id) => grains(id)[name!] === value)
      : this.#targets({ ...low, tgt: String(low.tgt) });
    json(response, { return: [{ minions, missing: [] }] });
  }

  #login({ username, password, eauth }: Low, response: ServerResponse): void {
    if (password !== PASSWORD) return page(response, 401, "Could not authenticate using provided credentials");
    const token = randomBytes(20).toString("hex");
    this.#sessions.add(token);
    const start = Date.now() / 1000;
    json(response, {
      return: [{ token, start, expire: start + 3600, user: username, eauth, perms: this.#options.perms }],
    }, {
      "Set-Cookie": `session_id=${token}; Path=/; HttpOnly; SameSite=Lax`,
    });
  }

  #file(pathname: string, response: ServerResponse): void {
    if (pathname === "/console") {
      response.writeHead(302, { Location: "/console/" }).end();
      return;
    }
    const { site } = this.#options;
    const name = path.join(site, pathname === "/console/" ? "index.html" : pathname.slice("/console/".length));
    if (!name.startsWith(site) || !existsSync(name)) return page(response, 404, "The path was not found.");
    response.writeHead(200, {
      "Content-Type": TYPES[path.extname(name)] ?? "application/octet-stream",
      "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'",
    });
    createReadStream(name).pipe(response);
  }

  #run(low: Low, response: ServerResponse): void {
    const fun = String(low.fun);
    if (this.#options.forbidden.includes(fun)) return page(response, 401, "Authorization error occurred.");
    if (low.client === "wheel") {
      const data: Low = { fun: `wheel.${fun}`, success: true };
      try {
        data.return = this.#wheel(fun, low);
      } catch (error) {
        Object.assign(data, { return: String(error), success: false });
      }
      return json(response, { return: [{ tag: "salt/wheel/1", data }] });
    }
    if (low.client === "runner") {
      const value = this.#runner(fun, low);
      if (value === undefined) return json(response, { status: 500, return: "An unexpected error occurred" }, {}, 500);
      return json(response, { return: [value] });
    }
    const ids = this.#targets(low);
    if (fun === "secret.read") return page(response, 401, "Authorization error occurred.");
    if (low.client === "local_async") return json(response, { return: [this.#publish(low, ids)] });
    json(response, { return: [Object.fromEntries(ids.map((id) => [id, this.#local(fun, low, id)]))] });
  }

  #targets({ tgt, tgt_type: type }: Low): string[] {
    const text = String(tgt);
    if (type === "list") return text.split(",").filter((id) => this.accepted.has(id));
    if (type === "pillar") return this.minions.filter((id) => id.startsWith("db"));
    const pattern = new RegExp(`^${text.replace(/[.+^${}()|\\]/g, "\\$&").replaceAll("*", ".*")}$`);
    return this.minions.filter((id) => pattern.test(id));
  }

  #wheel(fun: string, { match }: Low): unknown {
    if (fun === "minions.presence" && this.#options.previews) {
      const now = Date.now() / 1000;
      return {
        connected: this.minions.filter((_id, at) => at % 50 !== 7),
        lost: Object.fromEntries(
          this.minions.filter((_id, at) => at % 100 === 7).map((id, at) => [id, now - 600 * at]),
        ),
        since: now - 86_400 * 3,
      };
    }
    if (fun === "minions.presence") throw new TypeError("'minions.presence' is not available.");
    if (fun === "minions.connected") return this.minions.filter((_id, at) => at % 50 !== 7);
    if (fun === "key.details") {
      const now = Date.now() / 1000;
      const each = (ids: Iterable<string>, details: Low) => Object.fromEntries([...ids].map((id) => [id, details]));
      return {
        minions_pre: each(this.pending, { since: now - 300, address: "10.9.9.8" }),
        minions_denied: each(this.denied, { since: now - 60, address: "10.9.9.9" }),
        minions: each(this.accepted, { since: now - 86_400 * 3, up_since: now - 3600 * 3 }),
      };
    }
    if (fun === "key.history") return this.keyHistory;
    if (fun === "key.finger") {
      const fingers = (ids: Iterable<string>) =>
        Object.fromEntries([...ids].map((id) => [id, this.fingers[id] ?? fingerprint(id)]));
      const denied = Object.fromEntries([...this.denied].map((id) => [id, fingerprint(`another ${id}`)]));
      return { minions: fingers(this.accepted), minions_pre: fingers(this.pending), minions_denied: denied };
    }
    const moved = /^key\.(accept|reject|delete)(_dict)?$/.exec(fun);
    if (moved !== null) {
      const [, act, byDict] = moved;
      const ids = byDict === undefined
        ? String(match).split(",")
        : Object.values(match as Record<string, string[]>).flat();
      for (const id of ids) {
        this.pending.delete(id);
        const replaced = this.denied.delete(id) && act === "accept" ? { replaced: fingerprint(id) } : {};
        if (act === "accept") this.accepted.add(id);
        this.keyHistory.push({ time: new Date().toISOString(), act, id, user: "ada", via: "wheel", ...replaced });
        this.fire("salt/key", { act, id, result: true, ...replaced });
      }
    }
    return {
      local: ["master.pem", "master.pub"],
      minions: [...this.accepted],
      minions_pre: [...this.pending],
      minions_rejected: [],
      minions_denied: [...this.denied],
    };
  }

  #runner(fun: string, low: Low): unknown {
    if (fun === "cache.grains") {
      const names = this.#options.previews && Array.isArray(low.fields) ? low.fields.map(String) : undefined;
      return Object.fromEntries(this.#targets(low).map((id) => [id, picked(grains(id), names)]));
    }
    if (fun.startsWith("reactor.") && !this.hasReactor) {
      return `Exception occurred in runner ${fun}: Traceback (most recent call last):\n` +
        "salt.exceptions.CommandExecutionError: Reactor system is not running.\n";
    }
    if (fun === "reactor.list") return this.reactors;
    if (fun === "reactor.add") {
      const [match, sls] = low.arg as [string, string[]];
      this.reactors.push({ [match]: sls });
      return { status: true, comment: "Reactor added." };
    }
    if (fun === "reactor.status" && this.#options.previews) {
      const at = Date.now() / 1000;
      const reaction = { at, tag: "salt/minion/web0001.example/start", sls: "/srv/reactor/start.sls", id: "greet" };
      return {
        counts: { events: 2, called: 1, failed: 1, stopped: 0, dropped: 0 },
        waiting: 0,
        is_leader: true,
        latest: [
          { ...reaction, fun: "local.state.apply", outcome: "called", jid: "20261121084331391697", minions: 1 },
          { ...reaction, fun: "", outcome: "failed", error: "Jinja: <img src=x onerror=alert(1)> is undefined" },
        ],
      };
    }
    if (fun === "reactor.status") {
      return "Exception occurred in runner reactor.status: 'reactor.status' is not available.";
    }
    if (fun === "engines.status") {
      return {
        webhook: {
          module: "webhook",
          state: "running",
          since: "2026-11-21T08:43:31.000000",
          restarts: 0,
          last_error: null,
        },
        queue: {
          module: "script",
          state: "waiting",
          since: "2026-11-21T08:43:31.000000",
          restarts: 7,
          last_error: { at: "2026-11-21T08:43:31.000000", how: "exit code 1", words: "no queue" },
        },
      };
    }
    if (fun === "fileserver.sls_list") return { app: "The application and its files", "db.users": "" };
    if (fun === "manage.issues" && this.#options.previews) {
      return [{
        kind: "disk",
        level: "error",
        text: "120 MiB free in /var/cache/salt/master",
        remedy: "Free disk space: with a full disk, the master accepts no jobs and no returns.",
      }];
    }
    if (fun === "audit.list" && this.#options.previews) {
      const line = { time: "2026-11-21T08:43:31.000Z", user: "ada", from: "10.1.2.3", outcome: "ok" };
      return [
        { n: 1, ...line, kind: "login", eauth: "file" },
        { n: 2, ...line, kind: "publish", fun: "cmd.run", args: ["uptime"], tgt: "web*", targets: 9 },
        { n: 3, ...line, kind: "wheel", fun: "key.accept_dict", outcome: "AuthorizationError", user: "eve" },
      ].filter(({ user }) => low.user === undefined || user === low.user);
    }
    if (fun === "auth.signed_in" && this.#options.previews) {
      const start = Date.now() / 1000 - 600;
      return [{ user: "ada", eauth: "file", start, expire: start + 43_200 }];
    }
    if (fun === "config.get") return { web: "web*", storage: ["db*", "or", "cache*"] };
    if (fun === "manage.status") return { up: this.minions, down: [] };
    if (fun === "jobs.active") return {};
    if (fun === "jobs.list_jobs") {
      return Object.fromEntries([...this.#jobs].map(([jid, { load }]) => [jid, head(load)]));
    }
    if (fun === "jobs.tally" && this.#options.outcomes) {
      return Object.fromEntries((low.jids as string[]).map((jid) => [jid, this.#tally(jid, low.minion)]));
    }
    const job = this.#jobs.get(String(low.jid));
    if (fun === "jobs.list_job" && job !== undefined) {
      return { jid: low.jid, ...head(job.load), Minions: job.minions, Result: job.result };
    }
    if (fun === "jobs.outcome" && this.#options.outcomes && job !== undefined) {
      return {
        Outcomes: Object.fromEntries(
          job.minions.filter((id) => id in job.result).map((id) => [id, { Outcome: outcomeOf(job.result[id]!) }]),
        ),
      };
    }
    return undefined;
  }

  #tally(jid: string, minion: unknown): Low {
    const { minions = [], result = {} } = this.#jobs.get(jid) ?? {};
    const counts: Record<string, number> = {};
    for (const id of minion === undefined ? minions : minions.filter((one) => one === minion)) {
      const state = id in result ? outcomeOf(result[id]!) : "published";
      counts[state] = (counts[state] ?? 0) + 1;
    }
    return { ...counts, Seconds: minions.length / 100 };
  }

  #local(fun: string, low: Low, id: string): unknown {
    const [name] = Array.isArray(low.arg) ? low.arg as string[] : [];
    switch (fun) {
      case "sys.list_functions":
        return [
          "cmd.run",
          "file.read",
          "grains.items",
          "state.apply",
          "system.reboot",
          "test.arg",
          "test.ping",
          "test.version",
        ];
      case "sys.argspec":
        return { [name!]: SPECS[name!] ?? { args: null, defaults: null, varargs: null, kwargs: null } };
      case "sys.doc":
        return { [name!]: `Does ${name}.\n\nCLI Example:\n\n    salt '*' ${name}` };
      case "saltutil.find_job":
        return {};
      case "schedule.list":
        return (low.kwarg as Low).where === "pillar" || (low.kwarg as Low).offline === true
          ? { nightly: this.schedule.nightly }
          : { ...this.schedule, enabled: true };
      case "schedule.show_next_fire_time":
        return { result: true, next_fire_time: Math.round(Date.now() / 1000) + 3600 };
      case "schedule.add":
      case "schedule.modify": {
        const { name, persist: _persist, job_args: args, ...fields } = low.kwarg as Low;
        this.schedule[String(name)] = { enabled: true, ...fields, args };
        return { result: true, comment: `Added job: ${name} to schedule.`, changes: {} };
      }
      case "schedule.delete":
        if (!Object.hasOwn(this.schedule, String((low.kwarg as Low).name))) {
          return { result: false, comment: `Job ${(low.kwarg as Low).name} does not exist.` };
        }
        delete this.schedule[String((low.kwarg as Low).name)];
        return { result: true, comment: "Deleted Job from schedule." };
      case "beacons.list":
        return { enabled: true, ...this.beacons };
      case "beacons.list_available":
        return ["load", "ps", "service"];
      case "beacons.add":
        this.beacons[String((low.kwarg as Low).name)] = (low.kwarg as Low).beacon_data;
        return { result: true, comment: `Added beacon: ${(low.kwarg as Low).name}.` };
      case "beacons.save":
        return { result: true, comment: "Beacons saved." };
      case "grains.items":
        return grains(id);
      case "pillar.items":
        return { role: "web", password: "hunter2" };
    }
    return true;
  }

  #publish(load: Low, minions: string[]): Low {
    if (minions.length === 0) return {};
    const jid = newJid(systemClock);
    const job = { load, minions, result: {} as Record<string, Low> };
    this.#jobs.set(jid, job);
    const { fun, tgt, tgt_type, kwarg } = load;
    // As a master has it: keyword arguments are a marked map behind the others.
    const given = Array.isArray(load.arg) ? load.arg : [];
    const arg = kwarg === undefined ? given : [...given, { __kwarg__: true, ...kwarg as Low }];
    const dry = (kwarg as Low | undefined)?.test === true;
    this.fire(`salt/job/${jid}/new`, { jid, fun, tgt, tgt_type, arg, user: "ada", minions, missing: [] });
    const perBeat = this.#options.returnsPerSecond / 50;
    let at = 0;
    let due = 0;
    const stop = this.#every(20, () => {
      if (this.held) return;
      for (due += perBeat; due >= 1; due--) {
        const id = minions[at];
        if (id === undefined) return stop();
        const data = returnOf(String(fun), id, at++, dry);
        // One in two hundred never answers.
        if (at % 200 === 150) continue;
        job.result[id] = data;
        this.fire(`salt/job/${jid}/ret/${id}`, { jid, id, fun, fun_args: arg, cmd: "_return", ...data });
      }
    });
    return { jid, minions };
  }
}

const SPECS: Record<string, Low> = {
  "cmd.run": { args: ["cmd", "cwd", "timeout"], defaults: [null, null], varargs: null, kwargs: true },
  "file.read": { args: ["path"], defaults: null, varargs: null, kwargs: null },
  "state.apply": { args: ["mods"], defaults: [null], varargs: null, kwargs: true },
  "test.arg": { args: null, defaults: null, varargs: true, kwargs: true },
};

const outcomeOf = ({ retcode }: Low) => retcode === 0 ? "returned" : "failed";

const head = ({ fun, arg = [], tgt, tgt_type = "glob" }: Low): Low => ({
  Function: fun,
  Arguments: arg,
  Target: tgt,
  "Target-type": tgt_type,
  User: "ada",
  StartTime: "",
});

function returnOf(fun: string, id: string, at: number, dry: boolean): Low {
  const failed = at % 97 === 11;
  if (fun === "state.apply") {
    const state = (name: string, number: number, result: boolean, changes: Low) => ({
      [`file_|-${name}_|-/etc/${name}_|-managed`]: {
        __id__: name,
        __run_num__: number,
        __sls__: "app",
        name: `/etc/${name}`,
        result: dry && Object.keys(changes).length > 0 ? null : result,
        comment: result
          ? `File /etc/${name} ${Object.keys(changes).length > 0 ? "updated" : "is in the correct state"}`
          : "Source file was not found",
        changes,
        duration: 4.2,
      },
    });
    return {
      return: {
        ...state("app.conf", 0, true, {}),
        ...state("motd", 1, true, { diff: "--- \n+++ \n@@ -1 +1 @@\n-old\n+new\n" }),
        ...state("cert", 2, !failed, {}),
      },
      retcode: failed ? 2 : 0,
      success: !failed,
    };
  }
  if (fun === "file.read") {
    const lines = Array.from({ length: 40 }, (_value, line) => `option_${line} = ${line * 10}`);
    if (failed) lines[20] = "option_20 = 1";
    return { return: `${lines.join("\n")}\n`, retcode: 0, success: true };
  }
  if (fun !== "cmd.run") return { return: true, retcode: 0, success: true };
  return {
    return: failed
      ? "df: /srv: No such file or directory"
      : `Filesystem      Size  Used Avail Use% Mounted on\n/dev/vda1        40G   ${1 + at % 30}G   12G  30% /\n`,
    retcode: failed ? 1 : 0,
    success: !failed,
    id,
  };
}

function fingerprint(id: string): string {
  let hash = 2166136261;
  const bytes: string[] = [];
  for (let at = 0; at < 32; at++) {
    hash = Math.imul(hash ^ id.charCodeAt(at % id.length) ^ at, 16777619) >>> 0;
    bytes.push((hash & 255).toString(16).padStart(2, "0"));
  }
  return bytes.join(":");
}

function grains(id: string): Low {
  const number = Number(/\d+/.exec(id)?.[0] ?? 0);
  return {
    id,
    os: number % 3 === 0 ? "Debian" : "Ubuntu",
    osrelease: number % 3 === 0 ? "12" : "24.04",
    saltversion: number % 5 === 0 ? "3007.6" : "3006.28",
    ...(number % 7 === 0 ? { brineversion: "0.1.0" } : {}),
    role: id.replace(/\d.*/, ""),
    fqdn_ip4: [`10.1.${Math.floor(number / 250)}.${number % 250 + 1}`],
    num_cpus: 4,
    cpuarch: "x86_64",
    mem_total: 8192,
    cpu_flags: Array.from({ length: 60 }, (_value, at) => `flag${at}`),
    kernel: "Linux",
    kernelrelease: "6.1.0",
  };
}

const picked = (grains: Low, names: string[] | undefined): Low =>
  names === undefined
    ? grains
    : Object.fromEntries(names.filter((name) => name in grains).map((name) => [name, grains[name]]));

function json(response: ServerResponse, value: unknown, headers: Record<string, string> = {}, status = 200): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(value));
}

/** Errors are HTML pages, whatever the client accepts. */
function page(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "Content-Type": "text/html;charset=utf-8" })
    .end(`<html><body><h2>${status}</h2><p>${message}</p></body></html>`);
}
