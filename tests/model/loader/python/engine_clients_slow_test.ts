/** Python engines that ask the fleet, runners, wheel functions and keys: what they fire is recorded from real Salt. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { bedDirectory, daemonDirectory } from "../../../../bench/bed/daemon_directory.ts";
import { saltProgram } from "../../../../bench/bed/salt_release.ts";
import { until } from "../../../../bench/bed/until.ts";
import { listenBus } from "../../../../src/model/event/bus_client.ts";
import { silentLogger } from "../../../../src/base/log.ts";
import { packageFraming } from "../../../../src/model/event/salt_framing.ts";
import { findPython, findSalt } from "../../../../src/model/loader/python/interpreter.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { freePort, RunningProgram } from "../../../support/running_program.ts";

const VECTORS = fileURLToPath(new URL("../../../vectors/python/client/", import.meta.url));
const answers: Record<string, Record<string, unknown>> = JSON.parse(readFileSync(`${VECTORS}engine.json`, "utf8"));
const USER = execFileSync("id", ["-un"], { encoding: "utf8" }).trim();
const TIMEOUT = { timeout: 120_000 };

/** Fields of each event of a minion that are not its data. */
const ADDED = ["_stamp", "id", "cmd", "pretag", "tag", "data", "__pub"];

function heardFrom(more: Record<string, unknown>): void {
  const directory = bedDirectory("fleetengine");
  const heard = new Map<string, Record<string, unknown>>();
  const programs: RunningProgram[] = [];

  before(async () => {
    const [publish_port, ret_port] = [await freePort(), await freePort()];
    const shared = { user: USER, engines_dirs: [VECTORS], engines: [{ fleetengine: { tag: "fleet" } }], ...more };
    const start = (name: "master" | "minion", opts: Record<string, unknown>) => {
      const root = path.join(directory, name);
      const config = { ...daemonDirectory(root), ...shared, ...opts };
      mkdirSync(path.join(root, "etc"), { recursive: true });
      writeFileSync(path.join(root, "etc", name), JSON.stringify(config));
      const program = new RunningProgram(`salt-${name}`, ["-c", path.join(root, "etc"), "-l", "warning"]);
      programs.push(program);
      return path.join(root, "run");
    };
    const sockets = start("master", {
      id: "here_master",
      interface: "127.0.0.1",
      publish_port,
      ret_port,
      auto_accept: true,
    });
    const bus = path.join(sockets, "master_event_pub.ipc");
    await until("the master listens", () => existsSync(bus));
    const { net } = await currentRuntime();
    await listenBus(net, { kind: "unix", path: bus }, ({ tag, data }) => {
      if (!tag.startsWith("fleet/")) return;
      const inner = data.data as Record<string, unknown> | undefined;
      const own = Object.entries(data).filter(([name]) => !ADDED.includes(name));
      heard.set(tag.slice("fleet/".length), inner ?? Object.fromEntries(own));
    });
    start("minion", { id: "web1", master: "127.0.0.1", master_port: ret_port });
  }, TIMEOUT);
  after(async () => {
    for (const program of programs) await program.end();
    rmSync(directory, { recursive: true, force: true });
  }, TIMEOUT);

  for (const [role, wants] of Object.entries(answers)) {
    test(`an engine of a ${role} is told what it is told in Salt`, TIMEOUT, async () => {
      await until(`the engine of the ${role} ends`, () => heard.has(`${role}/end`), { timeoutMs: 90_000 });
      for (const [name, want] of Object.entries(wants)) {
        assert.deepEqual(heard.get(`${role}/${name}`), want, `${role}/${name}`);
      }
    });
  }
}

const bare = findPython(await currentRuntime(), {});
describe("Python engines with clients of the small package salt", {
  skip: bare === undefined && "no python3 of 3.8 or newer: install python3",
}, () => heardFrom({ python: "auto", python_salt: false }));

const python = saltProgram("3006", "python");
const runtime = await currentRuntime();
describe("Python engines with clients of Salt's package", {
  skip: !existsSync(python) && "no Salt 3006: npm run test:interop installs it",
  // Other programs of Salt on this host do not decide.
}, () => heardFrom({ python, event_framing: packageFraming(runtime.fs, silentLogger, findSalt(runtime, { python })) }));
