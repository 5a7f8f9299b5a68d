/** Runs recorded exchanges against Brine gateways, whatever master stands behind them. */
import assert from "node:assert/strict";
import { joinPath } from "../../../src/base/paths.ts";
import {
  type Backend,
  createGateway,
  type Gateway,
  gatewaySettings,
  masterBackend,
} from "../../../src/host/gateway/mod.ts";
import { silentLogger } from "../../../src/base/log.ts";
import type { HttpServer } from "../../../src/runtime/http.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { compareAnswer, compareFrames, type Golden } from "./golden.ts";
import { openSocket } from "../../support/raw_web_socket.ts";

export type KeyState = "accepted" | "pre" | "rejected" | "absent";

/** A master with minions web1, db1 and slow1, set up as tests/golden-api/README.md says. */
export interface GoldenMaster {
  runtime: Runtime;
  /** The master's configuration. */
  opts: Record<string, unknown>;
  backend: Backend;
  /** Where there are sockets for those exchanges that need some. */
  sockets: Pick<Runtime, "http" | "net">;
  /** A directory for files that are served. */
  directory: string;
  setKey(id: string, state: KeyState): void | Promise<void>;
}

const PASSWORDS: Record<string, string> = { alice: "wonder", rita: "rrr", nadia: "nnn", gina: "ggg" };
const CLIENTS = [
  "local",
  "local_async",
  "local_batch",
  "local_subset",
  "runner",
  "runner_async",
  "ssh",
  "wheel",
  "wheel_async",
];

/** Whether events have the return of the job that was published after the webhook. A job of another test may return meanwhile. */
function hasReturn(events: string): boolean {
  const [, after] = events.split('/demo"', 2);
  const jid = /"tag": "(\d{20})"/.exec(after ?? "")?.[1];
  return jid !== undefined && after!.includes(`salt/job/${jid}/ret/web1"}`);
}

export class GoldenBed {
  readonly #master: GoldenMaster;
  readonly #gateways = new Map<string, Gateway>();
  readonly #servers = new Map<Gateway, HttpServer>();
  readonly #tokens = new Map<string, Promise<string>>();

  constructor(master: GoldenMaster) {
    this.#master = master;
  }

  #gateway({ server, server_options = {} }: Golden): Gateway {
    const { runtime, opts, backend, directory } = this.#master;
    const { netapi_enable_clients, rest_cherrypy, note, timeout: _t, gather_job_timeout: _g, ...rest } = server_options;
    const name = JSON.stringify([server, server_options]);
    let gateway = this.#gateways.get(name);
    if (gateway !== undefined) return gateway;
    const app = joinPath(directory, "app.html");
    const files = joinPath(directory, "static");
    runtime.fs.mkdir(files);
    runtime.fs.write(app, "<!doctype html><title>app</title>app page\n", { mode: 0o644 });
    runtime.fs.write(joinPath(files, "hello.txt"), "hello static\n", { mode: 0o644 });
    const section = {
      port: 0,
      host: "127.0.0.1",
      disable_ssl: true,
      ...(server === "rest_cherrypy" ? { collect_stats: true } : { websockets: true, cors_origin: "*" }),
      ...rest,
      ...(rest_cherrypy as object | undefined),
    };
    const placed = Object.fromEntries(
      Object.entries(section).map((
        [key, value],
      ) => [key, value === "<file>" ? app : value === "<dir>" ? files : value]),
    );
    const absent = masterBackend({
      runtime,
      log: silentLogger,
      opts: { interface: "127.0.0.1", ret_port: 1, sock_dir: joinPath(directory, "nobody"), cachedir: "", user: "" },
    });
    if (note === undefined) absent[Symbol.asyncDispose]();
    gateway = createGateway({
      runtime,
      backend: note === undefined ? backend : absent,
      settings: gatewaySettings(
        { ...opts, netapi_enable_clients: netapi_enable_clients ?? CLIENTS, [server]: placed },
        server,
      ),
    });
    if (note !== undefined) this.#absent.push(absent);
    this.#gateways.set(name, gateway);
    return gateway;
  }
  readonly #absent: Backend[] = [];

  async #server(gateway: Gateway): Promise<HttpServer> {
    let server = this.#servers.get(gateway);
    if (server === undefined) {
      server = await this.#master.sockets.http.serve(gateway.fetch, { host: "127.0.0.1", port: 0 });
      this.#servers.set(gateway, server);
    }
    return server;
  }

  #send(gateway: Gateway, method: string, path: string, headers: Record<string, string>, body?: string) {
    const sent = new Headers(headers);
    if (body !== undefined) sent.set("Content-Length", String(new TextEncoder().encode(body).length));
    const request = new Request(`http://localhost:8000${path}`, {
      method,
      headers: sent,
      ...(body === undefined ? {} : { body }),
    });
    return gateway.fetch(request, {
      address: "127.0.0.1",
      upgrade: () => assert.fail("no upgrade"),
      keepOpen() {},
      known() {},
    });
  }

  async #login(gateway: Gateway, user: string): Promise<string> {
    const body = JSON.stringify({ username: user, password: PASSWORDS[user], eauth: "file" });
    const answer = await this.#send(gateway, "POST", "/login", { "Content-Type": "application/json" }, body);
    assert.equal(answer.status, 200, `login of ${user}: ${await answer.clone().text()}`);
    return (await answer.json() as { return: { token: string }[] }).return[0]!.token;
  }

  /** A token, once for each gateway and user. */
  #token(gateway: Gateway, user: string): Promise<string> {
    const name = `${[...this.#gateways.values()].indexOf(gateway)} ${user}`;
    let token = this.#tokens.get(name);
    if (token === undefined) this.#tokens.set(name, token = this.#login(gateway, user));
    return token;
  }

  /** An eauth token, whatever the profile: tornado's gives it to its clients. */
  #eauthToken(user: string): Promise<string> {
    return this.#token(this.#gateway({ server: "rest_tornado" } as Golden), user);
  }

  async #jobOf(gateway: Gateway, header: Record<string, string>): Promise<string> {
    const body = JSON.stringify([{ client: "local_async", tgt: "web1", fun: "test.echo", arg: ["hi"] }]);
    const { backend } = this.#master;
    const { promise: returned, resolve } = Promise.withResolvers<void>();
    const job: { jid?: string } = {};
    const jids = new Set<string>();
    const off = backend.onEvent(({ tag }) => {
      const jid = /^salt\/job\/(\d+)\/ret\/web1$/.exec(tag)?.[1];
      if (jid !== undefined) jids.add(jid);
      if (jid !== undefined && jid === job.jid) resolve();
    });
    const answer = await this.#send(gateway, "POST", "/", { "Content-Type": "application/json", ...header }, body);
    const { jid } = (await answer.json() as { return: { jid: string }[] }).return[0]!;
    job.jid = jid;
    if (!jids.has(jid)) await returned;
    off();
    return jid;
  }

  async #prepare(golden: Golden): Promise<void> {
    const { setKey } = this.#master;
    if (golden.id.endsWith("local-absent-minion")) await setKey("ghost1", "accepted");
    if (golden.id === "cp-keys-generate") await setKey("ghost1", "absent");
    if (golden.id === "cp-wheel-key-accept") await setKey("newkey1", "pre");
    if (golden.id === "cp-wheel-key-delete") {
      await setKey("newkey1", "accepted");
      await setKey("newkey2", "rejected");
    }
  }

  async #cleanUp({ id }: Golden): Promise<void> {
    const { setKey } = this.#master;
    if (id.endsWith("local-absent-minion") || id === "cp-keys-generate") await setKey("ghost1", "absent");
    if (id.startsWith("cp-wheel-key-")) { for (const key of ["newkey1", "newkey2"]) await setKey(key, "absent"); }
  }

  /** Sends the recorded request and holds the answer against the recorded one. */
  async run(golden: Golden): Promise<void> {
    const gateway = this.#gateway(golden);
    await this.#prepare(golden);
    try {
      const { as_user, request } = golden;
      let token = "";
      if (as_user !== undefined) {
        token = golden.preconditions?.some((text) => text.includes("logged out")) || request.path === "/logout"
          ? await this.#login(gateway, as_user)
          : await this.#token(gateway, as_user);
      }
      const own = golden.server === "rest_cherrypy" ? token : await this.#eauthToken(as_user ?? "alice");
      const eauth = await this.#eauthToken(as_user ?? "alice");
      const fill = (text: string) =>
        text.replaceAll("<HEX40>", as_user === undefined ? "0".repeat(40) : own).replaceAll("<EAUTH_TOKEN>", eauth);
      const header = { "X-Auth-Token": own };
      if (golden.preconditions?.some((text) => text.includes("logged out"))) {
        await this.#send(gateway, "POST", "/logout", header);
      }
      let path = fill(request.path);
      if (path.includes("<JID>")) path = path.replace("<JID>", await this.#jobOf(gateway, header));
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, fill(value)]));
      const body = request.json === undefined ? request.body : fill(JSON.stringify(request.json));
      if (golden.response.messages !== undefined || golden.id === "cp-ws-bad-token") {
        return await this.#socket(golden, gateway, path, headers, header);
      }
      if (body?.includes('"runner_async"')) {
        return await this.#untilReturned(async () => {
          const answer = await this.#send(gateway, request.method, path, headers, body);
          const copy = answer.clone();
          await compareAnswer(golden, answer);
          return (await copy.json() as { return?: { tag?: string }[] }).return?.[0]?.tag;
        });
      }
      const answer = await this.#send(gateway, request.method, path, headers, body);
      if (golden.response.body_kind === "sse") await this.#stream(golden, gateway, answer, header);
      else await compareAnswer(golden, answer);
    } finally {
      await this.#cleanUp(golden);
    }
  }

  /** What a runner has its minions do would be seen by the next exchange: `start` gives the tag of one, if it began. */
  async #untilReturned(start: () => Promise<string | undefined>): Promise<void> {
    const heard = new Set<string>();
    let look = () => {};
    const off = this.#master.backend.onEvent(({ tag }) => {
      heard.add(tag);
      look();
    });
    try {
      const tag = await start();
      if (tag === undefined) return;
      await new Promise<void>((resolve) => {
        look = () => {
          if (heard.has(`${tag}/ret`)) resolve();
        };
        look();
      });
    } finally {
      off();
    }
  }

  /** What the recordings did while they listened. */
  async #act(gateway: Gateway, kind: string, header: Record<string, string>): Promise<void> {
    const json = { "Content-Type": "application/json", Accept: "application/json", Host: "localhost:8000", ...header };
    assert.equal((await this.#send(gateway, "POST", `/hook/${kind}/demo`, json, '{"n": 1}')).status, 200);
    const low = JSON.stringify([{ client: "local_async", tgt: "web1", fun: "test.ping" }]);
    assert.equal((await this.#send(gateway, "POST", "/", json, low)).status, 200);
  }

  /** Tornado's events were recorded with a webhook of the other server. */
  async #actor(golden: Golden, gateway: Gateway, header: Record<string, string>) {
    if (golden.server === "rest_cherrypy") return { gateway, header };
    const other = this.#gateway({ server: "rest_cherrypy" } as Golden);
    return { gateway: other, header: { "X-Auth-Token": await this.#token(other, "alice") } };
  }

  async #untilHeard(first: Promise<unknown>, actor: { gateway: Gateway; header: Record<string, string> }) {
    let heard = false;
    first.then(() => heard = true);
    while (!heard) {
      await this.#send(actor.gateway, "POST", "/hook/ws/first", actor.header);
      await new Promise<void>((resolve) => void setTimeout(resolve, 0));
    }
  }

  async #stream(golden: Golden, gateway: Gateway, answer: Response, header: Record<string, string>): Promise<void> {
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("Content-Type"), golden.response.headers!["Content-Type"]);
    assert.equal(answer.headers.get("Cache-Control"), "no-cache");
    const reader = answer.body!.getReader();
    const decoder = new TextDecoder();
    let text = decoder.decode((await reader.read()).value);
    assert.equal(text, "retry: 400\n", "the first line comes at once");
    const actor = await this.#actor(golden, gateway, header);
    await this.#act(actor.gateway, "sse", actor.header);
    while (!(text.endsWith("\n\n") && hasReturn(text))) {
      text += decoder.decode((await reader.read()).value, { stream: true });
    }
    await reader.cancel();
    // What began before the stream did stands in front of it.
    const frames = text.split("\n\n").filter((frame) => frame !== "");
    frames[0] = `retry: 400\n${frames[0]!.replace(/^retry: 400\n/, "")}`;
    const first = frames.findIndex((frame) => frame.includes("salt/netapi/hook"));
    if (first > 0) frames[first] = `retry: 400\n${frames[first]}`;
    compareFrames(golden, frames);
  }

  async #socket(
    golden: Golden,
    gateway: Gateway,
    path: string,
    headers: Record<string, string>,
    header: Record<string, string>,
  ): Promise<void> {
    const { port } = await this.#server(gateway);
    const socket = await openSocket(this.#master.sockets.net, port, path, headers);
    try {
      assert.equal(socket.status, golden.response.status, socket.head);
      if (socket.status !== 101) return;
      socket.send(golden.client_message!);
      const messages: string[] = [];
      const actor = await this.#actor(golden, gateway, header);
      const first = socket.next();
      // Tornado's server does not say that it has heard: events before that are not sent.
      if (golden.server === "rest_tornado") await this.#untilHeard(first, actor);
      messages.push(await first);
      await this.#act(actor.gateway, "ws", actor.header);
      const wanted = golden.response.messages!.at(-1)!;
      const isOver = () =>
        wanted.includes("complete") ? /"complete"/.test(messages.at(-1)!) : hasReturn(messages.join(""));
      while (!isOver()) messages.push(await socket.next());
      compareFrames(golden, messages);
    } finally {
      socket.close();
    }
  }

  async close(): Promise<void> {
    for (const gateway of this.#gateways.values()) gateway.drain();
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
    await Promise.all(this.#absent.map((backend) => backend[Symbol.asyncDispose]()));
  }
}
