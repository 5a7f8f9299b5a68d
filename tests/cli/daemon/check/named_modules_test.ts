/** Modules that options name: generated from the tables of modules, so that a new module, and a new table, cannot be forgotten. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { NAMED_BY_OPTIONS } from "../../../../cli/daemon/check/named_by_options.ts";
import { checkNamedModules } from "../../../../cli/daemon/check/named_modules.ts";
import { MASTER_CHECKS } from "../../../../cli/daemon/check/check_master.ts";
import { MINION_CHECKS } from "../../../../cli/daemon/check/check_minion.ts";
import { type Finding, findingsBy } from "../../../../cli/daemon/check/finding.ts";
import { completeOptions } from "../../../../src/model/config/load.ts";
import { MASTER_OPTIONS } from "../../../../src/model/config/master_opts.ts";
import { MINION_OPTIONS } from "../../../../src/model/config/minion_opts.ts";
import type { Host } from "../../../../src/model/config/review.ts";
import { BEACONS } from "../../../../src/plugins/beacons/mod.ts";
import { EAUTH } from "../../../../src/plugins/eauth/mod.ts";
import { ENGINES } from "../../../../src/plugins/engines/mod.ts";
import { MODULES } from "../../../../src/plugins/modules/mod.ts";
import { OUTPUTTERS } from "../../../../src/plugins/outputters/mod.ts";
import { EXT_PILLARS } from "../../../../src/plugins/pillar/mod.ts";
import { RETURNERS } from "../../../../src/plugins/returners/mod.ts";
import { RUNNERS } from "../../../../src/plugins/runners/mod.ts";
import { TOPS } from "../../../../src/plugins/tops/mod.ts";
import { EXECUTOR_NAMES } from "../../../../src/host/minion/processes/executors.ts";
import { RENDERER_NAMES } from "../../../../src/language/render/renderers.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";

type Values = Record<string, unknown>;

const returners = Object.keys(RETURNERS);
const firstFunction = async (
  load: () => Promise<{ module?: { functions: object }; runner?: { functions: object } }>,
) => {
  const { module, runner } = await load();
  return Object.keys((module ?? runner)!.functions)[0];
};

/** Option → the table of its modules, and a configuration that names one. */
const TABLES: { option: string; hosts: Host[]; table: readonly string[]; values(name: string): Values }[] = [
  { option: "return", hosts: ["minion"], table: returners, values: (name) => ({ return: name }) },
  {
    option: "schedule_returner",
    hosts: ["master", "minion"],
    table: returners,
    values: (name) => ({ schedule_returner: [name] }),
  },
  {
    option: "schedule",
    hosts: ["master", "minion"],
    table: returners,
    values: (name) => ({ schedule: { job: { function: "test.arg", seconds: 10, returner: name } } }),
  },
  { option: "event_return", hosts: ["master"], table: returners, values: (name) => ({ event_return: [name] }) },
  { option: "ext_job_cache", hosts: ["master"], table: returners, values: (name) => ({ ext_job_cache: name }) },
  {
    option: "renderer",
    hosts: ["master", "minion"],
    table: RENDERER_NAMES,
    values: (name) => ({ renderer: `jinja|${name}` }),
  },
  {
    option: "decrypt_pillar_default",
    hosts: ["master", "minion"],
    table: RENDERER_NAMES,
    values: (name) => ({ decrypt_pillar: ["a:b"], decrypt_pillar_default: name }),
  },
  {
    option: "decrypt_pillar_renderers",
    hosts: ["master", "minion"],
    table: RENDERER_NAMES,
    values: (name) => ({ decrypt_pillar_renderers: [name] }),
  },
  {
    option: "fileserver_backend",
    hosts: ["master", "minion"],
    table: ["roots", "gitfs", "git"],
    values: (name) => ({ fileserver_backend: [name] }),
  },
  {
    option: "ext_pillar",
    hosts: ["master", "minion"],
    table: Object.keys(EXT_PILLARS),
    values: (name) => ({ ext_pillar: [{ [name]: [] }] }),
  },
  {
    option: "master_tops",
    hosts: ["master"],
    table: Object.keys(TOPS),
    values: (name) => ({ master_tops: { [name]: {} } }),
  },
  {
    option: "beacons",
    hosts: ["minion"],
    table: Object.keys(BEACONS),
    values: (name) => ({ beacons: { [name]: [] } }),
  },
  {
    option: "providers",
    hosts: ["minion"],
    table: Object.keys(MODULES),
    values: (name) => ({ providers: { pkg: name } }),
  },
  {
    option: "module_executors",
    hosts: ["minion"],
    table: EXECUTOR_NAMES,
    values: (name) => ({ module_executors: [name] }),
  },
  {
    option: "external_auth",
    hosts: ["master"],
    table: Object.keys(EAUTH),
    values: (name) => ({ external_auth: { [name]: { ann: ["test.*"] } } }),
  },
  {
    option: "output",
    hosts: ["master", "minion"],
    table: Object.keys(OUTPUTTERS),
    values: (name) => ({ output: name }),
  },
  {
    option: "engines",
    hosts: ["master", "minion"],
    table: Object.keys(ENGINES),
    values: (name) => ({ engines: [{ [name]: {} }] }),
  },
];

/** Tables whose modules no option of a daemon names. */
const UNNAMED = ["grains", "runners", "sdb", "serializers", "states", "wheel"];
/** The folder of a table → one of its options. */
const FOLDERS: Record<string, string> = {
  beacons: "beacons",
  eauth: "external_auth",
  engines: "engines",
  modules: "providers",
  outputters: "output",
  pillar: "ext_pillar",
  returners: "return",
  tops: "master_tops",
};

const optionsOf = (host: Host, values: Values): Values =>
  completeOptions(host === "master" ? MASTER_OPTIONS : MINION_OPTIONS, {
    file_client: host === "minion" ? "local" : "remote",
    master: "127.0.0.1",
    ...values,
  }).opts;

async function check(host: Host, values: Values): Promise<Finding[]> {
  const opts = { ...optionsOf(host, values), ...values };
  return await findingsBy(
    host === "master" ? MASTER_CHECKS : MINION_CHECKS,
    { opts, given: new Set() } as never,
    await currentRuntime(),
  );
}

const UNKNOWN = "no_such_thing";
const isUnknown = ({ problem, remedy }: Finding, option: string, name: string) =>
  problem.startsWith(`${option}: `) &&
  new RegExp(`(?:Brine has no|nknown) (?:[a-z]+ )+"${name}"`).test(`${problem} ${remedy}`);

for (const { option, hosts, table, values } of TABLES) {
  for (const host of hosts) {
    test(`${option} of a ${host}: each known name passes, an unknown one is named with option, effect and remedy`, async () => {
      const unknown = (await check(host, values(UNKNOWN))).filter((one) => isUnknown(one, option, UNKNOWN));
      assert.equal(unknown.length, 1, option);
      assert.notEqual(unknown[0]!.remedy, "");
      for (const name of table) {
        const found = (await check(host, values(name))).filter((one) => isUnknown(one, option, name));
        assert.deepEqual(found, [], name);
      }
    });
  }
}

test("every option that names modules is in the table here, and every folder of modules has an option or says why not", () => {
  assert.deepEqual(
    TABLES.map(({ option }) => option).filter((option) => option !== "engines").sort(),
    NAMED_BY_OPTIONS.map(({ option }) => option).sort(),
  );
  const plugins = path.join(import.meta.dirname!, "../../../../src/plugins");
  const folders = readdirSync(plugins, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && readdirSync(path.join(plugins, entry.name)).includes("mod.ts"))
    .map(({ name }) => name);
  assert.deepEqual(folders.sort(), [...UNNAMED, ...Object.keys(FOLDERS)].sort());
  const options = new Set(TABLES.map(({ option }) => option));
  for (const option of Object.values(FOLDERS)) assert.ok(options.has(option), option);
});

describe("functions of schedules and of the mine", () => {
  test("one of each module passes, an unknown one is named with what was probably meant", async () => {
    const runtime = await currentRuntime();
    for (const [name, load] of Object.entries(RUNNERS)) {
      const fun = `${name}.${await firstFunction(load)}`;
      assert.deepEqual(await found("master", { schedule: { job: { function: fun, hours: 1 } } }), [], fun);
    }
    assert.deepEqual(
      await found("minion", {
        mine_functions: { "network.ip_addrs": [], own: [{ mine_function: "grains.get" }, "os"] },
      }),
      [],
    );
    const [wrongRunner] = await found("master", { schedule: { daily: { function: "manage.upp", hours: 1 } } });
    assert.match(wrongRunner!.problem, /^schedule: daily: Brine has no runner "manage\.upp"/);
    assert.match(wrongRunner!.remedy, /did you mean manage\.up\?/);
    const [wrongModule] = await found("minion", { schedule: { daily: { function: "foo_bar.baz", hours: 1 } } });
    assert.match(wrongModule!.problem, /^schedule: daily: Brine has no function "foo_bar\.baz"/);
    const [mine] = await found("minion", { mine_functions: { "foo.bar": [] } });
    assert.match(mine!.problem, /^mine_functions: Brine has no function "foo\.bar"/);
    assert.equal(mine!.severity, "warning");
    async function found(host: Host, values: Values) {
      const { checkFunctions } = await import("../../../../cli/daemon/check/check_functions.ts");
      return await checkFunctions(host, { ...optionsOf(host, values), ...values }, runtime);
    }
  });
});

test("custom modules of this host pass by the name of their file or the name that they give themselves; Python is named", async () => {
  const root = mkdtempSync(path.join(tmpdir(), "brine-named-"));
  try {
    mkdirSync(path.join(root, "returners"));
    writeFileSync(
      path.join(root, "returners/paper.ts"),
      'export const virtualname = "ledger";\nexport const returner = () => {};\n',
    );
    writeFileSync(path.join(root, "returners/stone.py"), "def returner(ret):\n    pass\n");
    const runtime = await currentRuntime();
    const find = async (name: string) =>
      await checkNamedModules(
        "minion",
        { ...optionsOf("minion", {}), extension_modules: root, python: false, return: name },
        runtime,
      );
    assert.deepEqual(await find("paper,ledger"), []);
    assert.match((await find("stone"))[0]!.remedy, /stone\.py" is a Python module, and cannot be loaded:/);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test("what the master's configuration names in vain is an error where data is lost, and a warning where it has no effect", async () => {
  const rows: [Host, Values, string, RegExp][] = [
    ["master", { ext_pillar: [{ mongo: "collection=salt" }] }, "error", /ext_pillar: .*"mongo".*without its data/],
    ["master", { ext_pillar: [{ cmd_jsn: "x" }] }, "error", /ext_pillar: .*"cmd_jsn".*did you mean "cmd_json"\?/],
    ["minion", { proxy_host: "proxy" }, "error", /requests to web servers fail: .*proxy_port is 0.*set proxy_port to/],
    ["master", { ext_pillar: "vault" }, "error", /ext_pillar: expected a list/],
    [
      "master",
      { ext_pillar: [{ git: [{ "https://host/x": [{ colour: "red" }] }] }] },
      "error",
      /ext_pillar: git: .*"colour"/,
    ],
    ["master", { fileserver_backend: ["roots", "s3fs"] }, "stops", /fileserver_backend: .*"s3fs"/],
    ["master", { fileserver_backend: ["gitfs"], gitfs_remotes: ["nonsense"] }, "stops", /nonsense/],
    ["master", { transport: "tcp", ssl: { keyfile: "/none.key", certfile: "/none.crt" } }, "stops", /ssl: .*\/none\./],
    ["master", { ssl: { keyfile: "/none.key", certfile: "/none.crt" } }, "stops", /ssl: .*\/none\./],
    ["master", { event_return: "couchdb" }, "error", /event_return: .*"couchdb"/],
    [
      "master",
      { ext_job_cache: "syslog" },
      "error",
      /ext_job_cache: .*"syslog" cannot be used: it stores only returns/,
    ],
    ["master", { master_tops: { saltclass: {} } }, "error", /master_tops: .*"saltclass"/],
    ["master", { engines: [{ slack_bolt: {} }] }, "error", /engines: slack_bolt/],
    ["master", { renderer: "jinja|mako" }, "error", /renderer: .*"mako"/],
    ["master", { output: "foo" }, "warning", /output: .*"foo".*nested/],
    ["master", { rest_wsgi: { port: 8000 } }, "warning", /rest_wsgi has no effect/],
    ["master", { metrics: { listen: "x:y" } }, "stops", /metrics/],
    [
      "master",
      { reactor: [{ "a/b": ["/none.sls"] }] },
      "warning",
      /reactor: a\/b: \/none\.sls: the file does not exist/,
    ],
    ["master", { reactor: "/none.conf" }, "error", /reactor: the file \/none\.conf cannot be read/],
    ["master", { external_auth: { kerberos: { ann: [".*"] } } }, "error", /external_auth: .*"kerberos"/],
    ["master", { publish_port: 4510, ret_port: 4510 }, "stops", /both 4510/],
    ["minion", { return: "couchdb" }, "error", /return: .*"couchdb"/],
    ["minion", { beacons: { wtmpp: [] } }, "warning", /beacons: .*"wtmpp".*does not run/],
    ["minion", { beacons: { adb: [] } }, "warning", /beacons: .*"adb" cannot be used/],
    ["minion", { engines: [{ logstashh: {} }] }, "error", /engines: logstashh/],
    ["minion", { master_type: "func" }, "stops", /master_type: func/],
    ["minion", { renderer: "jinja|py" }, "error", /renderer: .*"py"/],
    ["minion", { renderer: "jinja|py", file_client: "remote" }, "warning", /renderer: .*"py"/],
    ["minion", { providers: { pkg: "brew" } }, "warning", /providers: .*"brew"/],
    ["minion", { master_finger: "aa:bb" }, "stops", /master_finger: "aa:bb" is not a fingerprint/],
    ["minion", { master_finger: Array.from({ length: 32 }, () => "AA").join(":") }, "stops", /master_finger/],
    ["minion", { master_port: 4505 }, "warning", /master_port: 4505 is the usual publish_port/],
    [
      "minion",
      { schedule: { a: { function: "test.ping", when: "tea" } } },
      "warning",
      /a: it never runs: Invalid date/,
    ],
    [
      "minion",
      { schedule: { a: { function: "test.ping", cron: "x y" } } },
      "warning",
      /schedule: a: it never runs: .*cron/,
    ],
    ["minion", { schedule: { a: { function: "test.ping" } } }, "warning", /schedule: a: it never runs.*give it a time/],
    ["master", { schedule: { a: { function: "test.arg", when: "x" } } }, "warning", /schedule: a: it never runs/],
    ["minion", { mine_functions: { "foo.bar": [] } }, "warning", /"foo\.bar": each call fails For a custom module/],
    ["minion", { mine_functions: { "tst.ping": [] } }, "warning", /did you mean test\.ping\?/],
    ["minion", { source_interface_name: "nosuch0" }, "stops", /"nosuch0"/],
  ];
  for (const [host, values, severity, text] of rows) {
    const found = await check(host, values);
    const one = found.find(({ problem, remedy }) => text.test(`${problem} ${remedy}`));
    assert.ok(one !== undefined, `${JSON.stringify(values)}: ${JSON.stringify(found)}`);
    assert.equal(one.stops === true ? "stops" : one.severity, severity, one.problem);
  }
  assert.deepEqual(
    await check("master", { reactor: [], ssl: null, publish_port: 4510, ret_port: 4510, transport: "ws" }),
    [],
  );
  assert.deepEqual(
    await check("minion", {
      schedule: {
        a: { function: "test.ping", seconds: 5, splay: 3 },
        b: { function: "test.ping", when: ["5:00pm", "2030-01-01 10:00"] },
        c: { function: "test.ping", cron: "*/5 * * * *" },
        d: { function: "test.ping", hours: 1, enabled: false },
        enabled: true,
      },
    }),
    [],
  );
  const good = Array.from({ length: 32 }, () => "ab").join(":");
  assert.deepEqual(await check("minion", { master_finger: good, master_port: 4506 }), []);
  assert.deepEqual(await check("minion", { proxy_host: "proxy", proxy_port: 3128 }), []);
});
