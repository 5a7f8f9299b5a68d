/** `--check`: what would keep a daemon from starting is printed with value and remedy, and nothing is changed. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { checkPorts } from "../../../../cli/daemon/check/check_ports.ts";
import { apiMain } from "../../../../cli/programs/api.ts";
import { masterMain } from "../../../../cli/programs/master.ts";
import { minionMain } from "../../../../cli/programs/minion.ts";
import { syndicMain } from "../../../../cli/programs/syndic.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";
import { runInProcess } from "../../../support/program.ts";

const TIMEOUT = { timeout: 60_000 };
const MAINS = {
  "salt-master": masterMain,
  "salt-minion": minionMain,
  "salt-syndic": syndicMain,
  "salt-api": apiMain,
};

async function bed(program: keyof typeof MAINS, opts: Record<string, unknown> | string) {
  const root = mkdtempSync(path.join(tmpdir(), "brine-check-"));
  const { host } = await currentRuntime();
  const common = { root_dir: root, user: host.user().name, interface: "127.0.0.1", publish_port: 0, ret_port: 0 };
  const file = path.join(root, program === "salt-minion" ? "minion" : "master");
  const own = program === "salt-minion" ? { root_dir: root, user: common.user } : { ...common, ret_port: 1 };
  writeFileSync(file, typeof opts === "string" ? opts : JSON.stringify({ ...own, ...opts }));
  return {
    root,
    run: () => runInProcess(program, MAINS[program], ["-c", root, "--check"]),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ports.push((server.address() as { port: number }).port);
  }
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  return ports;
}

describe("salt-master --check", TIMEOUT, () => {
  test("finds nothing in a good configuration, and makes nothing", async () => {
    const [publish_port, ret_port] = await freePorts(2);
    using place = await bed("salt-master", { publish_port, ret_port, nodegroups: { web: "web* or db1" } });
    const { stdout, exitCode } = await place.run();
    assert.equal(stdout, "0 errors, 0 warnings\n");
    assert.equal(exitCode, 0);
    assert.deepEqual(readdirSync(place.root), ["master"]);
  });

  test("prints every problem at once, with value and remedy", async () => {
    const [publish_port, ret_port] = await freePorts(2);
    using place = await bed("salt-master", {
      publish_port,
      ret_port,
      auto_accept: "maybe",
      log_level: "loud",
      job_lost_after: -1,
      publisher_acl: { ann: ["test.*", "cmd.("], bob: [{ "web*": ["test.ping"], "db*": ["test.ping"] }] },
      external_auth: { pan: { ann: [".*"] } },
      peer: { "(": [".*"] },
      nodegroups: { loop: "N@loop", bad: "web* and and db*" },
      master_job_cache: "paper",
      log_fmt_console: "%(mesage)s",
      log_file: "udp://host:99999",
      max_open_file: 7,
      autosign_file: "/etc/salt/ids",
      autosign_grains_dir: "/etc/salt/values",
      ext_pillar: [{ vault: "path=secret/salt" }],
      "redis.port": "x",
    });
    const { stdout, exitCode } = await place.run();
    assert.equal(exitCode, 1);
    for (
      const line of [
        /^ERROR {3}The option auto_accept is "maybe": expected True or False/m,
        /^ERROR {3}The option log_level is "loud"/m,
        /^ERROR {3}The option job_lost_after is -1: expected a number of at least 0/m,
        /^ERROR {3}The option redis\.port is "x"/m,
        /^ERROR {3}publisher_acl: ann: the pattern "cmd\.\(" matches nothing/m,
        /^ERROR {3}publisher_acl: bob: a map with several entries grants nothing\. Remedy: write each entry as a separate list item/m,
        /^ERROR {3}external_auth: Brine has no backend "pan": nobody can log in with this backend\. Remedy: did you mean "pam"\?/m,
        /^ERROR {3}peer: the pattern "\("/m,
        /^ERROR {3}nodegroups: loop means nothing/m,
        /^ERROR {3}nodegroups: bad: /m,
        /^ERROR {3}Unknown master_job_cache "paper": expected one of sqlite/m,
        /^ERROR {3}The option log_fmt_console is "%\(mesage\)s": "mesage" is not an attribute/m,
        /^ERROR {3}The option log_file is "udp:\/\/host:99999"/m,
        /^WARNING unknown option max_open_file .*Remedy: did you mean max_open_files\?/m,
        /^ERROR {3}ext_pillar: vault: pillar is compiled without it: Cannot reach Vault: set the option vault with url/m,
        /^WARNING autosign_file: the file \S+\/etc\/salt\/ids does not exist: it has no effect\. Remedy: create it/m,
        /^WARNING autosign_grains_dir: the directory \S+\/etc\/salt\/values does not exist/m,
        /^\d+ errors, 3 warnings$/m,
      ]
    ) assert.match(stdout, line);
  });

  test("names patterns that are the beginnings of functions, and none that is a function", async () => {
    using place = await bed("salt-master", {
      external_auth: {
        pam: {
          ann: ["cmd.r", "cmd.run", "mine_own.thing", { "web*": ["pkg.inst"] }, {
            "@runner": ["manage.u", "jobs.last"],
          }],
          bob: [{ "@jobs": ["list_", "list_jobs"] }, { "@key": ["list_all"] }, "cmd.r.*"],
        },
      },
      peer_run: { web1: ["manage.up", "cache.g"] },
      mine_get: { web1: ["network.ip"] },
    });
    const { stdout } = await place.run();
    const named = [...stdout.matchAll(/^WARNING (\S+): the pattern "(.*?)" matches the whole text/gm)];
    assert.deepEqual(named.map(([, place, pattern]) => `${place}: ${pattern}`), [
      "external_auth.pam.ann: cmd.r",
      "external_auth.pam.ann: pkg.inst",
      "external_auth.pam.ann: manage.u",
      "external_auth.pam.bob: list_",
      "peer_run.web1: cache.g",
    ]);
  });

  test("names a port that another program holds, a key that is damaged, and directories that lie open", async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
    const { port } = holder.address() as { port: number };
    const [ret_port] = await freePorts(1);
    using place = await bed("salt-master", { publish_port: port, ret_port });
    try {
      const pki = path.join(place.root, "etc/salt/pki/master");
      mkdirSync(pki, { recursive: true });
      chmodSync(pki, 0o755);
      writeFileSync(path.join(pki, "master.pem"), "-----BEGIN RSA PRIVATE KEY-----\nnonsense\n");
      chmodSync(path.join(pki, "master.pem"), 0o644);
      const { stdout, exitCode } = await place.run();
      assert.equal(exitCode, 1);
      assert.match(
        stdout,
        new RegExp(`^ERROR {3}publish_port: .*EADDRINUSE.*Remedy: ss -ltnp .*${port}`, "m"),
      );
      assert.match(stdout, /^ERROR {3}the key .*master\.pem cannot be used: /m);
      assert.match(
        stdout,
        /^WARNING .*pki\/master: its mode is 0755.*Remedy: nothing to do: the daemon sets it to 0700 at startup/m,
      );
      assert.match(stdout, /^ERROR {3}.*master\.pem: its mode is 0644/m);
      assert.equal(statSync(pki).mode & 0o777, 0o755);
      assert.ok(!existsSync(path.join(place.root, "var")));
    } finally {
      holder.close();
    }
  });

  test("names the line of a file that does not parse, and a huge value stays short", async () => {
    using broken = await bed("salt-master", "interface: [\n");
    const { stdout, exitCode } = await broken.run();
    assert.match(stdout, /^ERROR {3}Error parsing configuration file: .*line \d/m);
    assert.equal(exitCode, 1);
    using huge = await bed("salt-master", { timeout: Array.from({ length: 50_000 }, () => "x".repeat(20)) });
    assert.ok((await huge.run()).stdout.length < 10_000);
  });
});

test("a port that the running instance itself holds is no problem", {
  ...TIMEOUT,
  skip: process.platform === "linux" ? false : "who holds a port is read from /proc",
}, async () => {
  const runtime = await currentRuntime();
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  const { port } = holder.address() as { port: number };
  try {
    const ports = [{ option: "ret_port", host: "127.0.0.1", port }];
    assert.deepEqual(await checkPorts(runtime, ports, process.pid, "salt-master"), []);
    assert.equal((await checkPorts(runtime, ports, process.ppid, "salt-master")).length, 1);
    assert.equal((await checkPorts(runtime, ports, undefined, "salt-master")).length, 1);
  } finally {
    holder.close();
  }
});

test("a user who is neither root nor that of the daemon gets one line, and none for each file", TIMEOUT, async () => {
  const runtime = await currentRuntime();
  using place = await bed("salt-master", {});
  const pki = path.join(place.root, "etc/salt/pki/master");
  mkdirSync(pki, { recursive: true });
  const other = {
    ...runtime,
    process: { ...runtime.process, uid: () => 4711 },
    fs: { ...runtime.fs, access: (file: string, what: "read") => file !== pki && runtime.fs.access(file, what) },
  } as typeof runtime;
  const { stdout, exitCode } = await runInProcess("salt-master", masterMain, ["-c", place.root, "--check"], "", {
    runtime: other,
  });
  assert.match(
    stdout,
    /^ERROR {3}user \S+ may not read .*pki\/master: keys, directories and ports were not checked\. Remedy: run this as root/m,
  );
  assert.match(stdout, /^1 error, 0 warnings$/m);
  assert.equal(exitCode, 1);
});

test("ports of real Salt's own master are one finding that names it", TIMEOUT, async () => {
  const runtime = await currentRuntime();
  const taken = () => Promise.reject(Object.assign(new Error("Cannot listen: EADDRINUSE"), { code: "EADDRINUSE" }));
  const cmdline = "/opt/saltstack/salt/bin/python3.10 /usr/bin/salt-master ReqServer";
  const sockets = (port: number) => `0: 00000000:${port.toString(16).toUpperCase()} 0:0 0A 0 0 0 0 0 ${port}`;
  const fs = {
    ...runtime.fs,
    stat: () => undefined,
    list: (path: string) => path === "/proc" ? ["77", "78"] : path === "/proc/78/fd" ? ["3", "4"] : [],
    readlink: (path: string) => `socket:[${path.endsWith("3") ? 4505 : 4506}]`,
    readText: (path: string) => path.endsWith("cmdline") ? cmdline : `${sockets(4505)}\n${sockets(4506)}`,
  } as typeof runtime.fs;
  const ports = [
    { option: "publish_port", host: "0.0.0.0", port: 4505 },
    { option: "ret_port", host: "0.0.0.0", port: 4506 },
  ];
  const net = { ...runtime.net, listen: taken };
  const [finding, ...others] = await checkPorts({ fs, net }, ports, 77, "salt-master");
  assert.deepEqual(others, []);
  assert.equal(
    finding!.problem,
    "Salt's salt-master is running (process 77) and uses publish_port 4505 and ret_port 4506",
  );
  assert.equal(finding!.remedy, "stop it before you start this one: kill 77");
  assert.equal(
    (await checkPorts({ fs, net }, [{ option: "ret_port", host: "0.0.0.0", port: 4999 }], 77, "salt-master")).length,
    1,
  );
});

test("salt-minion --check and salt-api --check look at what is theirs", TIMEOUT, async () => {
  using minion = await bed("salt-minion", { master_port: 70_000 });
  const first = await minion.run();
  assert.match(first.stdout, /^ERROR {3}The option master_port is 70000: expected a whole number from 1 to 65535/m);
  assert.equal(first.exitCode, 1);
  using api = await bed("salt-api", {
    rest_cherrypy: { port: 0, host: "127.0.0.1", ssl_crt: "/none.crt", ssl_key: "/none.key" },
  });
  const second = await api.run();
  assert.match(second.stdout, /^ERROR {3}rest_cherrypy: .*none\.crt/m);
  using neither = await bed("salt-api", {});
  assert.match((await neither.run()).stdout, /^ERROR {3}rest_cherrypy and rest_tornado are missing. Remedy: add one/m);
});

describe("salt-syndic --check", TIMEOUT, () => {
  test("finds nothing in a good configuration, beside a master that runs", async () => {
    using place = await bed("salt-syndic", { syndic_master: "10.0.0.1" });
    assert.deepEqual(await place.run(), { stdout: "0 errors, 0 warnings\n", stderr: "", exitCode: 0 });
    assert.equal(existsSync(path.join(place.root, "etc")), false);
  });

  test("names a master above that is not set, and values that nothing can be made of", async () => {
    using place = await bed("salt-syndic", { syndic_master_port: 70000, syndic_failover: "first" });
    const { stdout, exitCode } = await place.run();
    assert.match(stdout, /WARNING syndic_master is not set: using the default masterofmasters/);
    assert.match(stdout, /ERROR {3}Unknown syndic_failover "first": expected random or ordered/);
    assert.match(stdout, /ERROR {3}Cannot use syndic_master_port "70000": expected a port/);
    assert.equal(exitCode, 1);
  });

  test("reads the key pair of the minion of this host", async () => {
    using place = await bed("salt-syndic", { syndic_master: "10.0.0.1" });
    const pki = path.join(place.root, "etc/salt/pki/minion");
    mkdirSync(pki, { recursive: true });
    writeFileSync(path.join(pki, "minion.pem"), "no key");
    writeFileSync(path.join(place.root, "minion"), JSON.stringify({ root_dir: place.root }));
    assert.match((await place.run()).stdout, /ERROR {3}the key .*minion\.pem cannot be used/);
  });
});

test("a user who may not read the configuration is told who may, not to open it", TIMEOUT, async () => {
  const runtime = await currentRuntime();
  using place = await bed("salt-master", {});
  const file = path.join(place.root, "master");
  const other = {
    ...runtime,
    process: { ...runtime.process, uid: () => 4711 },
    fs: {
      ...runtime.fs,
      readText(name: string) {
        if (name === file) {
          throw new Error(`Cannot read "${name}": permission denied; run as its owner or change its mode`);
        }
        return runtime.fs.readText(name);
      },
    },
  } as typeof runtime;
  const { stdout, exitCode } = await runInProcess("salt-master", masterMain, ["-c", place.root, "--check"], "", {
    runtime: other,
  });
  assert.match(stdout, /^ERROR {3}user \S+ may not read \S+\/master: nothing was checked\. Remedy: run this as root/m);
  assert.match(stdout, /^1 error, 0 warnings$/m);
  assert.equal(exitCode, 1);
});
