/** Every recorded exchange with real salt-api, against Brine gateways beside a master and minions of real Salt 3006. */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { type Backend, masterBackend } from "../../src/host/gateway/mod.ts";
import { silentLogger } from "../../src/base/log.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { DIFFERENT } from "../host/gateway/different.ts";
import { GOLDENS } from "../host/gateway/golden.ts";
import { GoldenBed } from "../host/gateway/golden_bed.ts";
import { EXTERNAL_AUTH, USERS } from "../host/gateway/users.ts";
import { Daemon } from "./daemon.ts";
import { pause } from "../../bench/bed/until.ts";
import { saltProgram } from "../../bench/bed/salt_release.ts";
import { installSalt } from "./release.ts";

const RELEASE = "3006";
const skip = process.env.BRINE_INTEROP === undefined
  ? "set BRINE_INTEROP=quick to run against real Salt"
  : installSalt(RELEASE);
const MINIONS = ["web1", "db1", "slow1"];
const TIMEOUT = { timeout: 180_000 };
const FOLDERS: Record<string, string> = { accepted: "minions", pre: "minions_pre", rejected: "minions_rejected" };

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen({ port: 0, host: "127.0.0.1" }, () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Real Salt as the recordings had it. */
class RealSalt {
  readonly directory = mkdtempSync(path.join(tmpdir().length > 40 ? "/tmp" : tmpdir(), "brine-gw-"));
  opts: Record<string, unknown> = {};
  readonly #daemons: Daemon[] = [];

  #at(...parts: string[]): string {
    return path.join(this.directory, ...parts);
  }

  #start(program: string, name: string, config: string, opts: Record<string, unknown>): void {
    const folder = this.#at(name, "etc");
    mkdirSync(folder, { recursive: true });
    mkdirSync(this.#at(name, "run"), { recursive: true });
    const whole = {
      user: userInfo().username,
      root_dir: this.#at(name),
      pki_dir: this.#at(name, "pki"),
      cachedir: this.#at(name, "cache"),
      sock_dir: this.#at(name, "run"),
      pidfile: this.#at(name, "run", "pid"),
      log_file: this.#at(name, "log"),
      log_level: "warning",
      ...opts,
    };
    // JSON is YAML.
    writeFileSync(path.join(folder, config), JSON.stringify(whole));
    if (config === "master") this.opts = whole;
    this.#daemons.push(new Daemon(name, [saltProgram(RELEASE, program), "-c", folder], [this.#at(name, "out")]));
  }

  async start(): Promise<void> {
    for (const folder of ["pillar", "states"]) mkdirSync(this.#at(folder));
    writeFileSync(this.#at("users"), USERS, { mode: 0o600 });
    writeFileSync(this.#at("pillar", "top.sls"), "base: {'*': [common]}\n");
    writeFileSync(this.#at("pillar", "common.sls"), "color: blue\nnested: {a: 1, b: [x, y]}\n");
    const marker = "{{ opts['root_dir'] }}/run/marker-{{ grains['id'] }}";
    writeFileSync(
      this.#at("states", "common.sls"),
      `marker-file:\n  file.managed:\n    - name: ${marker}\n    - contents: hello\na-noop:\n  test.nop: []\n`,
    );
    const [publish, request] = [await freePort(), await freePort()];
    const file = { ...EXTERNAL_AUTH.file, "^filename": this.#at("users") };
    this.#start("salt-master", "master", "master", {
      interface: "127.0.0.1",
      publish_port: publish,
      ret_port: request,
      auto_accept: true,
      worker_threads: 3,
      timeout: 5,
      gather_job_timeout: 5,
      nodegroups: { webs: "web*", dbs: "L@db1" },
      file_roots: { base: [this.#at("states")] },
      pillar_roots: { base: [this.#at("pillar")] },
      sharedsecret: "open-sesame",
      external_auth: { ...EXTERNAL_AUTH, file },
    });
    for (const id of MINIONS) {
      this.#start("salt-minion", id, "minion", {
        id,
        master: "127.0.0.1",
        master_port: request,
        publish_port: publish,
        grains: { role: id },
        acceptance_wait_time: 1,
        enable_gpu_grains: false,
        enable_fqdns_grains: false,
        mine_enabled: false,
      });
    }
  }

  setKey(id: string, state: string): void {
    const pki = this.#at("master", "pki");
    for (const folder of Object.values(FOLDERS)) rmSync(path.join(pki, folder, id), { force: true });
    if (state !== "absent") copyFileSync(path.join(pki, "minions", "web1"), path.join(pki, FOLDERS[state]!, id));
  }

  get accepted(): string[] {
    const folder = this.#at("master", "pki", "minions");
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  async stop(): Promise<void> {
    await Promise.all(this.#daemons.map((daemon) => daemon.stop(3000)));
    rmSync(this.directory, { recursive: true, force: true });
  }
}

describe(
  `recorded exchanges beside real Salt ${RELEASE}`,
  { ...TIMEOUT, ...(skip === undefined ? {} : { skip }) },
  () => {
    const salt = new RealSalt();
    let backend: Backend;
    let bed: GoldenBed;

    before(async () => {
      const runtime = await currentRuntime();
      await salt.start();
      backend = masterBackend({
        runtime,
        log: silentLogger,
        opts: salt.opts as unknown as Parameters<typeof masterBackend>[0]["opts"],
      });
      bed = new GoldenBed({
        runtime,
        sockets: runtime,
        opts: salt.opts,
        backend,
        directory: path.join(salt.directory, "served"),
        setKey: (id, state) => salt.setKey(id, state),
      });
      const until = performance.now() + 120_000;
      for (let answered = 0; answered < MINIONS.length;) {
        assert.ok(performance.now() < until, "the minions of real Salt have not answered within two minutes");
        await pause(500);
        if (!backend.up || salt.accepted.length < MINIONS.length) continue;
        const credentials = { eauth: "file", username: "alice", password: "wonder" };
        answered = 0;
        const run = backend.run({ tgt: "*", fun: "test.ping", credentials }, { timeoutMs: 3000, gatherMs: 1000 });
        for await (const { kind } of run) if (kind === "returned") answered++;
      }
    }, TIMEOUT);
    after(async () => {
      await bed?.close();
      await backend?.[Symbol.asyncDispose]();
      await salt.stop();
    }, TIMEOUT);

    for (const golden of GOLDENS) {
      const why = DIFFERENT[golden.id];
      test(`${golden.id}: ${golden.title}`, { ...TIMEOUT, ...(why === undefined ? {} : { skip: why }) }, async () => {
        await bed.run(golden);
      });
    }
  },
);
