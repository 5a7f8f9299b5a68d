/** Images of master, gateway and minion, built without a network and run, where podman or docker can: `npm run test:images`. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { until } from "../../bench/bed/until.ts";
import { freePort } from "../support/running_program.ts";

const TIMEOUT = { timeout: 600_000 };
const root = fileURLToPath(new URL("../..", import.meta.url));
const top = process.env.BRINE_IMAGES === undefined ? "" : mkdtempSync(path.join(tmpdir(), "brine-image-"));

/** Ways to run containers. The second podman is for machines that are a container themselves: few rights, and no systemd. */
const ENGINES: readonly { program: string; all: string[]; build: string[]; run: string[] }[] = [
  { program: "docker", all: [], build: [], run: [] },
  { program: "podman", all: [], build: ["--format", "docker"], run: [] },
  {
    program: "podman",
    all: [
      ...["--root", `${top}/root`, "--runroot", `${top}/run`, "--tmpdir", `${top}/tmp`],
      ...["--storage-driver", "vfs", "--cgroup-manager", "cgroupfs", "--runtime", "runc"],
    ],
    build: ["--format", "docker", "--isolation", "chroot"],
    run: ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=500:500"],
  },
];
type Engine = (typeof ENGINES)[number];

const call = ({ program, all }: Engine, ...words: string[]) => {
  const { stdout, stderr, status } = spawnSync(program, [...all, ...words], { encoding: "utf8" });
  return { stdout, stderr, status };
};

/** The first engine that builds and runs an image; else why there is none. */
function findEngine(): Engine | string {
  if (top === "") return "npm run test:images makes the images and runs this";
  let why = "neither docker nor podman is here";
  execFileSync(process.execPath, [path.join(root, "scripts/image.ts")], { stdio: "ignore" });
  for (const engine of ENGINES) {
    if (spawnSync(engine.program, ["--version"]).error !== undefined) continue;
    const build = ["build", ...engine.build, "--target", "minion", "-t", "brine-test-minion", "dist/image"];
    const built = spawnSync(engine.program, [...engine.all, ...build], { cwd: root, encoding: "utf8" });
    const tried = built.status !== 0 ? built : call(
      engine,
      ...["run", "--rm", "--network", "host", ...engine.run, "brine-test-minion", "/usr/bin/salt-call", "--version"],
    );
    if (tried.status === 0) return engine;
    why = `${engine.program}: ${tried.stderr.trim().split("\n").at(-1)}`;
  }
  rmSync(top, { recursive: true, force: true });
  return why;
}

const found = findEngine();
const engine = typeof found === "string" ? ENGINES[0]! : found;

describe("images", { ...TIMEOUT, skip: typeof found === "string" && found }, () => {
  const names = ["master", "gateway", "web1", "web2"].map((name) => `brine-test-${process.pid}-${name}`);
  const [master, gateway, web1, web2] = names as [string, string, string, string];
  const volumes = ["etc", "cache", "run"].map((name) => `brine-test-${process.pid}-${name}`);
  const run = (name: string, image: string, ...words: string[]) => {
    const { status, stderr } = call(
      engine,
      ...["run", "-d", "--name", name, "--network", "host", ...engine.run, ...words, `brine-test-${image}`],
    );
    assert.equal(status, 0, stderr);
  };
  const exec = (name: string, ...words: string[]) => call(engine, "exec", name, ...words);
  const drop = (folder: string, opts: unknown) => {
    mkdirSync(path.join(top, folder), { recursive: true });
    writeFileSync(path.join(top, folder, "test.conf"), JSON.stringify(opts));
    return `${path.join(top, folder)}:/etc/salt/${folder.split("-")[0]}.d:ro`;
  };

  before(async () => {
    chmodSync(top, 0o755);
    for (const target of ["master", "gateway"]) {
      const build = ["build", ...engine.build, "--target", target, "-t", `brine-test-${target}`, "dist/image"];
      execFileSync(engine.program, [...engine.all, ...build], { cwd: root, stdio: "ignore" });
    }
    const [publish_port, ret_port, port] = [await freePort(), await freePort(), await freePort()];
    const opts = {
      interface: "127.0.0.1",
      publish_port,
      ret_port,
      rest_cherrypy: { host: "127.0.0.1", port, disable_ssl: true },
    };
    const shared = [
      ...["/etc/salt", "/var/cache/salt", "/run/salt"].flatMap((place, at) => ["-v", `${volumes[at]}:${place}`]),
      ...["-v", drop("master", opts)],
    ];
    run(master, "master", ...shared);
    await until("the master", () => exec(master, "salt-key", "-L").status === 0);
    run(gateway, "gateway", ...shared);
    for (const [at, name] of [web1, web2].entries()) {
      const minion = { id: `web${at + 1}`, master: "127.0.0.1", master_port: ret_port, acceptance_wait_time: 1 };
      run(name, "minion", "-v", drop(`minion-${at}`, minion));
    }
  }, TIMEOUT);
  after(() => {
    call(engine, "rm", "-f", ...names);
    call(engine, "volume", "rm", "-f", ...volumes);
    call(engine, "rmi", "-f", "brine-test-master", "brine-test-gateway", "brine-test-minion");
    rmSync(top, { recursive: true, force: true });
  }, TIMEOUT);

  test("keys are accepted, and commands run", TIMEOUT, async () => {
    const waiting = () => JSON.parse(exec(master, "salt-key", "-l", "pre", "--out=json").stdout || "{}").minions_pre;
    await until("both keys", () => waiting()?.length >= 2);
    assert.equal(exec(master, "salt-key", "-A", "-y").status, 0);
    await until(
      "both",
      () => (exec(master, "salt-run", "manage.up", "--out=json").stdout.match(/web\d/g) ?? []).length >= 2,
    );
    const { stdout } = exec(master, "salt", "*", "cmd.run", "echo $((6 * 7))", "--out=json", "--static");
    assert.deepEqual(JSON.parse(stdout), { web1: "42", web2: "42" });
  });

  test("master and gateway have no rights, and are healthy, as the minions are", TIMEOUT, async () => {
    for (const name of [master, gateway]) assert.match(exec(name, "id", "-u").stdout, /^4505\n$/);
    for (const [name, role] of [[master, "master"], [gateway, "api"], [web1, "minion"]] as const) {
      await until(`${name} is healthy`, () => exec(name, "salt-doctor", "--as", role).status === 0);
    }
  });

  test("they end at once when they are told to, and come back with their keys", TIMEOUT, async () => {
    assert.equal(call(engine, "stop", "-t", "30", master).status, 0);
    assert.match(call(engine, "inspect", "--format", "{{.State.ExitCode}}", master).stdout, /^0\n$/);
    assert.notEqual(
      exec(web1, "salt-doctor", "--as", "minion").status,
      0,
      "a minion without its master is not healthy",
    );
    assert.equal(call(engine, "start", master).status, 0);
    await until("an answer", () => exec(master, "salt", "*", "test.ping").stdout.includes("web1"));
  });
});
