/** What functions return on a minion is what their types say: the table is read as text, and real values are held against it. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { startMaster } from "../../cli/embed/master.ts";
import { startMinion } from "../../cli/embed/minion.ts";
import { connect, type LocalClient } from "../../mod.ts";
import { Float } from "../../src/protocol/wire/mod.ts";
import { emptyDirectory } from "./snippets.ts";
import { mismatch, returnTypesOf } from "./type_text.ts";

/** A function, its arguments by position, by name. */
type Call = [fun: string, arg?: unknown[], kwarg?: Record<string, unknown>];

/** Functions that work on any Linux, with nothing but what every distribution has; `~` is a directory of the test. */
const EXECUTION: Call[] = [
  ...[
    "config.items cp.envs cp.list_master cp.list_master_dirs cp.list_master_symlinks cp.list_states disk.inodeusage",
    "disk.percent disk.usage environ.items file.pardir grains.items grains.ls group.getent",
    "network.default_route network.get_fqdn network.get_hostname network.interfaces network.ip_addrs network.ip_addrs6",
    "network.ip_networks network.routes network.subnets pillar.items pillar.ls pillar.data pillar.obfuscate",
    "ps.cpu_times ps.disk_partition_usage ps.disk_partitions ps.get_pid_list ps.network_io_counters ps.num_cpus",
    "ps.swap_memory ps.total_physical_memory ps.virtual_memory random.get_str random.rand_int saltutil.running",
    "saltutil.sync_all saltutil.sync_modules schedule.list beacons.list shadow.default_hash state.apply state.highstate",
    "state.running state.show_highstate state.show_lowstate state.show_state_usage state.show_states state.show_top",
    "state.test status.cpuinfo status.cpustats status.diskstats status.diskusage status.loadavg status.meminfo",
    "status.netdev status.netstats status.nproc status.time status.uptime status.version status.vmstats sys.argspec",
    "sys.doc sys.list_functions sys.list_modules sys.list_renderers sys.list_returner_functions sys.list_runners",
    "sys.list_state_functions sys.runner_argspec sys.state_doc temp.dir temp.file test.arg test.arg_clean test.arg_repr",
    "test.arg_type test.deprecation_warning test.false test.get_opts test.kwarg test.module_report test.not_loaded",
    "test.opts_pkg test.ping test.providers test.random_hash test.true test.tty test.version test.versions",
    "test.versions_information test.versions_report user.getent user.list_users",
  ].join(" ").split(" ").map((name): Call => [name]),
  ["cmd.run", ["echo hello"]],
  ["cmd.run_all", ["echo hello; echo no >&2"], { python_shell: true }],
  ["cmd.run_stderr", ["echo no >&2"], { python_shell: true }],
  ["cmd.retcode", ["true"]],
  ["cmd.which", ["sh"]],
  ["cmd.which", ["no-such-program"]],
  ["cmd.has_exec", ["sh"]],
  ["cmd.exec_code_all", ["sh", "echo one"]],
  ["cmd.script", ["salt://hello.sh"]],
  ["config.get", ["id"]],
  ["cp.get_file", ["salt://hello.sh", "~/copy"]],
  ["cp.get_file_str", ["salt://hello.sh"]],
  ["cp.hash_file", ["salt://hello.sh"]],
  ["cp.hash_file", ["salt://none"]],
  ["disk.percent", ["/"]],
  ["file.write", ["~/text", "one"]],
  ["file.append", ["~/text", "two"]],
  ["file.basename", ["/a/b"]],
  ["file.check_hash", ["~/text"], { file_hash: "0".repeat(64) }],
  ["file.contains", ["~/text", "one"]],
  ["file.copy", ["~/text", "~/other"]],
  ["file.directory_exists", ["~"]],
  ["file.find", ["~"], { name: "te*" }],
  ["file.get_diff", ["~/text", "~/other"]],
  ["file.get_hash", ["~/text"]],
  ["file.get_mode", ["~/text"]],
  ["file.grep", ["~/text", "one"]],
  ["file.line", ["~/text"], { content: "three", mode: "insert", location: "end" }],
  ["file.lstat", ["~/text"]],
  ["file.mkdir", ["~/made"]],
  ["file.read", ["~/text"]],
  ["file.readdir", ["~"]],
  ["file.remove", ["~/other"]],
  ["file.replace", ["~/text", "two", "2"]],
  ["file.search", ["~/text", "2"]],
  ["file.stats", ["~/text"]],
  ["file.statvfs", ["~"]],
  ["file.symlink", ["~/text", "~/link"]],
  ["file.readlink", ["~/link"]],
  ["file.touch", ["~/new"]],
  ["file.uid_to_user", [0]],
  ["file.user_to_uid", ["root"]],
  ["file.gid_to_group", [0]],
  ["file.write", ["~/written", "x"]],
  ["grains.get", ["os"]],
  ["grains.item", ["os", "kernel"]],
  ["grains.has_value", ["os"]],
  ["group.info", ["root"]],
  ["hashutil.sha256_digest", ["x"]],
  ["hashutil.base64_b64encode", ["x"]],
  ["hashutil.digest_file", ["~/text"]],
  ["match.glob", ["web*"]],
  ["match.compound", ["web* and not db*"]],
  ["network.hw_addr", ["lo"]],
  ["network.in_subnet", ["127.0.0.0/8"]],
  ["network.ip_networks", [], { include_loopback: true, verbose: true }],
  ["pillar.get", ["k:v"]],
  ["pillar.item", ["k"]],
  ["pillar.keys", ["k"]],
  ["random.hash", ["x"]],
  ["saltutil.find_job", ["20260101000000000000"]],
  ["slsutil.banner", []],
  ["state.show_low_sls", ["one"]],
  ["state.show_sls", ["one"]],
  ["state.single", ["test.nop", "x"]],
  ["state.sls", ["one"], { test: true }],
  ["state.sls_exists", ["one"]],
  ["sys.argspec", ["test.sleep"]],
  ["sys.doc", ["test"]],
  ["test.collatz", [6]],
  ["test.fib", [10]],
  ["test.provider", ["cmd"]],
  ["test.rand_sleep", [0]],
  ["test.sleep", [0]],
  ["test.try", [], { module: "test.ping" }],
  ["user.info", ["root"]],
  ["user.info", ["no-such-user"]],
  ["user.list_groups", ["root"]],
  ["user.primary_group", ["root"]],
];

const RUNNER: Call[] = [
  ...("audit.list cache.pillar doc.execution doc.runner doc.wheel error.error fileserver.dir_list " +
    "fileserver.envs fileserver.file_list fileserver.symlink_list fileserver.update jobs.active jobs.counters jobs.last_run " +
    "jobs.list_jobs jobs.queued jobs.refused manage.alived manage.down manage.list_state manage.not_present manage.present " +
    "manage.status manage.up manage.versions pillar.show_pillar pillar.show_top saltutil.sync_all saltutil.sync_runners " +
    "test.get_opts test.metasyntactic").split(" ").map((name): Call => [name]),
  ["config.get", ["id"]],
  ["event.send", ["my/tag"]],
  ["jobs.list_job", ["20260101000000000000"]],
  ["jobs.print_job", ["20260101000000000000"]],
  ["match.compound_matches", ["web*", "web1"]],
  ["mine.get", ["*", "test.ping"]],
  ["salt.cmd", ["test.ping"]],
  ["salt.execute", ["*", "test.ping"]],
  ["state.orchestrate", ["one"]],
  ["state.orchestrate_single", ["test.nop", "x"]],
  ["survey.hash", ["*", "test.ping"]],
  ["test.arg", ["x"], { y: 1 }],
  ["test.sleep", [0]],
];

const WHEEL: Call[] = [
  ["config.values"],
  ["error.error"],
  ["file_roots.find", [], { path: "one.sls" }],
  ["file_roots.list_env"],
  ["file_roots.list_roots"],
  ["file_roots.read", [], { path: "one.sls" }],
  ["key.accept", [], { match: "nobody" }],
  ["key.finger", [], { match: "*" }],
  ["key.finger_master"],
  ["key.gen"],
  ["key.gen_accept", [], { id_: "web7" }],
  ["key.history"],
  ["key.key_str", [], { match: "web*" }],
  ["key.list", [], { match: "all" }],
  ["key.list", [], { match: "acc" }],
  ["key.list_all"],
  ["key.name_match", [], { match: "*" }],
  ["key.rotate", [], { match: "nobody" }],
  ["minions.connected"],
  ["pillar_roots.list_env"],
];

/** A master with files and pillar, one minion and a client. */
async function startFleet(root: string): Promise<AsyncDisposable & { salt: LocalClient }> {
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  };
  write("srv/salt/one.sls", "one:\n  test.succeed_with_changes\ntwo:\n  test.nop\n");
  write("srv/salt/top.sls", "base:\n  '*':\n    - one\n");
  write("srv/salt/hello.sh", "#!/bin/sh\necho hello\n");
  write("srv/pillar/p.sls", "k: {v: 1}\n");
  write("srv/pillar/top.sls", "base:\n  '*':\n    - p\n");
  const master = await startMaster({
    rootDir: root,
    opts: {
      interface: "127.0.0.1",
      publish_port: 0,
      ret_port: 0,
      auto_accept: true,
      file_roots: { base: [path.join(root, "srv/salt")] },
      pillar_roots: { base: [path.join(root, "srv/pillar")] },
    },
  });
  const requestPort = Number(master.requestEndpoint.split(":").at(-1));
  const minion = await startMinion({
    rootDir: path.join(root, "web1"),
    opts: { id: "web1", master: "127.0.0.1", master_port: requestPort, multiprocessing: false },
  });
  await minion.ready;
  const salt = await connect({ rootDir: root, requestPort });
  return {
    salt,
    async [Symbol.asyncDispose]() {
      await salt.close();
      await minion.close();
      await master.close();
    },
  };
}

const named = (family: "execution" | "runner" | "wheel", fun: string): string => {
  const type = returnTypesOf(family).get(fun);
  assert.ok(type !== undefined, `${fun} is in the table`);
  return type;
};

test("a value is held against a type as it stands in the table", () => {
  for (
    const [type, good, bad] of [
      ["string | null", "x", 1],
      ["(false | string)[]", [false, "x"], [true]],
      ['{ a: number; b?: "x" | "y" }', { a: 1, b: "x" }, { a: 1, b: "z" }],
      ["{ a: number }", { a: 1 }, { a: 1, b: 2 }],
      ["{ a: number; [name: string]: unknown }", { a: 1, b: 2 }, { b: 2 }],
      ["Record<string, { x: string[] }[]>", { k: [{ x: [] }] }, { k: [{ x: [1] }] }],
      ["[bigint | number, Float | number]", [1n, new Float(2)], [1]],
      ["Record<string, unknown>", {}, new Map()],
      ["UserRecord[]", [], [{ name: "root" }]],
      ["StateReturns", { s: { name: "x", result: null, comment: "", changes: {}, other: 1 } }, { s: { name: "x" } }],
      ["never", undefined, 1],
    ] as const
  ) {
    if (good !== undefined) assert.equal(mismatch(good, type), undefined, type);
    assert.notEqual(mismatch(bad, type), undefined, type);
  }
});

describe("returns", { timeout: 240_000, skip: process.platform !== "linux" }, () => {
  test("functions return what their types say", async () => {
    using directory = emptyDirectory();
    await using fleet = await startFleet(directory.path);
    const own = path.join(directory.path, "own");
    mkdirSync(own);
    const wrong: string[] = [];
    for (const [fun, arg = [], kwarg = {}] of EXECUTION) {
      const given = arg.map((one) => typeof one === "string" ? one.replace(/^~/, own) : one);
      for await (const outcome of fleet.salt.run({ tgt: "web1", fun, arg: given, kwarg }, { timeoutMs: 30_000 })) {
        if (outcome.kind !== "returned") {
          wrong.push(`${fun}: ${outcome.kind} ${"return" in outcome ? outcome.return : ""}`);
        } else {
          const problem = mismatch(outcome.return, named("execution", fun));
          if (problem !== undefined) wrong.push(`${fun}: ${problem}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  test("runners and wheel functions return what their types say", async () => {
    using directory = emptyDirectory();
    await using fleet = await startFleet(directory.path);
    const wrong: string[] = [];
    for (const [fun, arg = [], kwarg = {}] of RUNNER) {
      const problem = mismatch(await fleet.salt.runner({ fun, arg, kwarg }), named("runner", fun));
      if (problem !== undefined) wrong.push(`${fun}: ${problem}`);
    }
    for (const [fun, , kwarg = {}] of WHEEL) {
      const problem = mismatch(await fleet.salt.wheel({ fun, kwarg }), named("wheel", fun));
      if (problem !== undefined) wrong.push(`${fun}: ${problem}`);
    }
    assert.deepEqual(wrong, []);
  });
});
