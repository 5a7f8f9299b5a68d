/** Sixteen set-ups in which something is wrong: `salt-doctor` names each with its remedy, and exits with a code that monitoring can use. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { doctorMain } from "../../../../cli/programs/doctor.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import type { Runtime } from "../../../../src/runtime/runtime.ts";
import { runInProcess } from "../../../support/program.ts";
import { freePort, RunningProgram } from "../../../support/running_program.ts";
import { PAIRS } from "../../../support/start_cluster.ts";

const TIMEOUT = { timeout: 120_000 };
const linux = process.platform === "linux" ? false : "processes are looked at in /proc";
const HOUR_MS = 3600_000;

type Opts = Record<string, unknown>;

interface SetUp {
  name: string;
  /** Files of the configuration, by their paths. */
  files(): Record<string, Opts>;
  /** What is asked for. @default nothing: what is configured */
  as?: string;
  /** A key pair that the minion has. */
  key?: keyof typeof PAIRS;
  /** Another host than this one. */
  host?(runtime: Runtime): Runtime;
  /** Lines of the answer. */
  says: RegExp[];
  /** What no line may say. */
  never?: RegExp;
  exit: number;
}

describe("salt-doctor finds what is wrong", { timeout: 300_000, skip: linux }, () => {
  const root = mkdtempSync(path.join(tmpdir(), "brine-broken-"));
  const user = execFileSync("id", ["-un"], { encoding: "utf8" }).trim();
  const running: RunningProgram[] = [];
  let ports: { publish_port: number; ret_port: number };
  let free: number;
  let other: { port: number; close(): void };
  let masterOpts: Opts;

  const write = (directory: string, files: Record<string, Opts>) => {
    for (const [name, opts] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
      writeFileSync(path.join(directory, name), JSON.stringify(opts));
    }
  };

  before(async () => {
    ports = { publish_port: await freePort(), ret_port: await freePort() };
    free = await freePort();
    const server = createServer((socket) => void socket.on("error", () => {}).resume());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    other = { port: (server.address() as { port: number }).port, close: () => server.close() };
    masterOpts = { root_dir: root, user, interface: "127.0.0.1", ...ports };
    writeFileSync(path.join(root, "autosign"), "web1\n", { mode: 0o600 });
    write(path.join(root, "etc"), {
      master: { ...masterOpts, log_level: "info", autosign_file: path.join(root, "autosign") },
      minion: { ...minion("web1"), root_dir: root, pki_dir: path.join(root, "pki-minion"), log_level: "info" },
    });
    const master = new RunningProgram("salt-master", ["-c", path.join(root, "etc")]);
    running.push(master);
    await master.saying("master is running");
    const one = new RunningProgram("salt-minion", ["-c", path.join(root, "etc")]);
    running.push(one);
    await one.saying("minion is ready");
  }, TIMEOUT);
  after(async () => {
    for (const one of running) if (!one.ended) await one.end();
    other.close();
    rmSync(root, { recursive: true, force: true });
  }, TIMEOUT);

  const minion = (id: string, more: Opts = {}): Opts => ({
    user,
    id,
    master: "127.0.0.1",
    master_port: ports.ret_port,
    enable_fqdns_grains: false,
    multiprocessing: false,
    ...more,
  });
  /** A master of its own that does not run. */
  const idle = async (more: Opts = {}) => ({
    user,
    interface: "127.0.0.1",
    publish_port: await freePort(),
    ret_port: await freePort(),
    ...more,
  });
  const later = (ms: number) => (runtime: Runtime): Runtime => ({
    ...runtime,
    clock: { ...runtime.clock, now: () => runtime.clock.now() + ms, elapsed: () => runtime.clock.elapsed() },
  });
  const finger = Array.from({ length: 32 }, () => "ab").join(":");
  const START = (role: string) =>
    new RegExp(`ERROR {3}salt-${role} is not running\\. Remedy: start it: npm run ${role} -- -c \\S+ \\(in `);

  const SET_UPS: (Omit<SetUp, "files"> & { files(): Promise<Record<string, Opts>> | Record<string, Opts> })[] = [
    {
      name: "only *.d is configured",
      files: async () => ({ "master.d/install.conf": await idle(), "minion.d/install.conf": minion("new1") }),
      says: [/^master:$/m, /^minion:$/m, /OK {6}configuration: \S+master\.d\/install\.conf/],
      never: /No configuration|configuration: \S+\/master$/m,
      exit: 2,
    },
    {
      name: "the master is down",
      files: async () => ({ master: await idle() }),
      says: [START("master"), /^1 error, /m],
      never: /systemctl/,
      exit: 2,
    },
    {
      name: "the minion is down",
      files: () => ({ minion: minion("new1") }),
      says: [START("minion")],
      never: /systemctl/,
      exit: 2,
    },
    {
      name: "salt-api of master.d is down",
      files: async () => ({
        master: await idle(),
        "master.d/api.conf": { rest_cherrypy: { port: free, host: "127.0.0.1", disable_ssl: true } },
      }),
      says: [/^api:$/m, START("api")],
      exit: 2,
    },
    {
      name: "the address of the master is no name",
      files: () => ({ minion: minion("new1", { master: "nosuch.invalid" }) }),
      says: [
        /master: nosuch\.invalid:\d+ cannot be reached: (?!.*nosuch\.invalid).*Remedy: check the address/,
        /port \d+ and the master's publish_port are open/,
      ],
      never: /450[56]/,
      exit: 2,
    },
    {
      name: "nothing listens at the port of the master",
      files: () => ({ minion: minion("new1", { master_port: free }) }),
      says: [/master: 127\.0\.0\.1:\d+ cannot be reached: .*Remedy: check the address/],
      exit: 2,
    },
    {
      name: "another program listens at the port of the master",
      files: () => ({ minion: minion("new1", { master_port: other.port }) }),
      says: [/accepts connections but does not speak Salt's protocol/],
      exit: 2,
    },
    {
      name: "master_port is the publish_port",
      files: () => ({ minion: minion("new1", { master_port: ports.publish_port }) }),
      says: [/is the publish_port of a master, which does not answer: .*Remedy: set master_port to the ret_port/],
      exit: 2,
    },
    {
      name: "the key of the minion is not accepted",
      files: () => ({ minion: minion("new1") }),
      key: "other",
      says: [/refuses this minion: the master has not accepted the key yet: accept it there with salt-key -a new1/],
      exit: 2,
    },
    {
      name: "two hosts have one id",
      files: () => ({ minion: minion("web1") }),
      key: "other",
      says: [
        /salt-key -l rej lists the id, .*salt-key -l den lists it, another host uses this id: give one host another id/,
      ],
      never: /salt-key -d/,
      exit: 2,
    },
    {
      name: "master_finger is no fingerprint",
      files: () => ({ minion: minion("new1", { master_finger: "aa:bb" }) }),
      says: [/ERROR {3}master_finger: "aa:bb" is not a fingerprint: expected 32 pairs/],
      exit: 2,
    },
    {
      name: "master_finger is that of another master, and the key is not accepted",
      files: () => ({ minion: minion("new2", { master_finger: finger }) }),
      key: "other",
      says: [
        new RegExp(
          `refuses this minion: The master's key has the fingerprint \\S+, but master_finger is ${finger}[^]*` +
            "salt-minion is not running\\. Remedy: fix the errors above, then start it: ",
        ),
      ],
      exit: 2,
    },
    {
      name: "a port of the master is taken",
      files: async () => ({ master: await idle({ ret_port: other.port }) }),
      says: [/ERROR {3}ret_port: .*Remedy: ss -ltnp 'sport = :\d+' shows which program/],
      exit: 2,
    },
    {
      name: "the clock is five hours ahead",
      files: () => ({}),
      as: "minion",
      host: later(5 * HOUR_MS),
      says: [
        /ERROR {3}the clock is 18000 s ahead of the clock of master 127\.0\.0\.1:\d+\. Remedy: start a time service/,
      ],
      exit: 1,
    },
    {
      name: "the clock is nine hours behind",
      files: () => ({}),
      as: "minion",
      host: later(-9 * HOUR_MS),
      says: [/ERROR {3}the clock is 32400 s behind the clock of master/],
      exit: 1,
    },
    {
      name: "the disk is full",
      files: () => ({}),
      as: "master",
      host: (runtime) => ({
        ...runtime,
        fs: { ...runtime.fs, space: () => ({ total: 80 * 1024 ** 3, free: 5 * 1024 ** 2, available: 5 * 1024 ** 2 }) },
      }),
      says: [/ERROR {3}5 MiB free in \S+\. Remedy: free disk space/],
      exit: 1,
    },
  ];

  assert.equal(SET_UPS.length, 16);
  for (const { name, files, as, key, host, says, never, exit } of SET_UPS) {
    test(name, TIMEOUT, async () => {
      const runtime = await currentRuntime();
      const own = await files();
      // Without files it is the fleet that runs.
      const at = Object.keys(own).length === 0 ? path.join(root, "etc") : mkdtempSync(path.join(root, "set-up-"));
      const pki = path.join(at, "pki");
      const rooted = (opts: Opts) => ({ root_dir: at, pki_dir: pki, ...opts });
      write(at, Object.fromEntries(Object.entries(own).map(([file, opts]) => [file, rooted(opts)])));
      if (key !== undefined) {
        mkdirSync(pki, { mode: 0o700 });
        writeFileSync(path.join(pki, "minion.pem"), PAIRS[key].privatePem, { mode: 0o600 });
        writeFileSync(path.join(pki, "minion.pub"), PAIRS[key].publicPem);
      }
      const { stdout, exitCode } = await runInProcess(
        "salt-doctor",
        doctorMain,
        ["-c", at, "--timeout", "3", ...as === undefined ? [] : ["--as", as]],
        "",
        { runtime: host?.(runtime) ?? runtime },
      );
      for (const text of says) assert.match(stdout, text);
      if (never !== undefined) assert.doesNotMatch(stdout, never);
      assert.equal(exitCode, exit, stdout);
    });
  }
});
