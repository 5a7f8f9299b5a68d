/** Every module of Salt that is not here, named by an option: generated from the names of Salt's modules and the tables of ours. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MASTER_CHECKS } from "../../../../cli/daemon/check/check_master.ts";
import { MINION_CHECKS } from "../../../../cli/daemon/check/check_minion.ts";
import { checkConfig } from "../../../../cli/daemon/check/check_config.ts";
import { completeOptions } from "../../../../src/model/config/load.ts";
import { MASTER_OPTIONS } from "../../../../src/model/config/master_opts.ts";
import { MINION_OPTIONS } from "../../../../src/model/config/minion_opts.ts";
import type { Host } from "../../../../src/model/config/review.ts";
import { BEACONS } from "../../../../src/plugins/beacons/mod.ts";
import { EAUTH } from "../../../../src/plugins/eauth/mod.ts";
import { ENGINES } from "../../../../src/plugins/engines/mod.ts";
import { moduleName, MODULES } from "../../../../src/plugins/modules/mod.ts";
import { OUTPUTTERS } from "../../../../src/plugins/outputters/mod.ts";
import { EXT_PILLARS } from "../../../../src/plugins/pillar/mod.ts";
import { RETURNERS } from "../../../../src/plugins/returners/mod.ts";
import { RUNNERS } from "../../../../src/plugins/runners/mod.ts";
import { SDB } from "../../../../src/plugins/sdb/mod.ts";
import { TOPS } from "../../../../src/plugins/tops/mod.ts";
import { EXECUTOR_NAMES } from "../../../../src/host/minion/processes/executors.ts";
import { RENDERER_NAMES } from "../../../../src/language/render/renderers.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";

type Values = Record<string, unknown>;
type Modules = Record<string, { as?: string; functions?: string }>;

const SALT = JSON.parse(
  readFileSync(new URL("../../../../scripts/compatibility/salt.json", import.meta.url), "utf8"),
) as Record<string, Modules>;

interface Named {
  host: Host;
  here: readonly string[];
  /** A configuration that names modules of the family, `function` being one of the first of them. */
  values(names: readonly string[], functions: readonly string[]): Values;
  /** Option with which a finding begins. @default any */
  option: string;
}

const each = (names: readonly string[], value: (name: string) => unknown): Values =>
  Object.fromEntries(names.map((name) => [name, value(name)]));

/** Families of Salt that an option of a daemon names. */
const NAMED: Record<string, Named[]> = {
  auth: [{
    host: "master",
    option: "external_auth",
    here: Object.keys(EAUTH),
    values: (names) => ({ external_auth: each(names, () => ({ ann: ["test.*"] })) }),
  }],
  beacons: [{
    host: "minion",
    option: "beacons",
    here: Object.keys(BEACONS),
    values: (names) => ({ beacons: each(names, () => []) }),
  }],
  engines: (["master", "minion"] as const).map((host) => ({
    host,
    option: "engines",
    // Salt's engine reactor is the option of that name, and Thorium has an option of its own.
    here: [...Object.keys(ENGINES), "reactor", "thorium"],
    values: (names) => ({ engines: names.map((name) => ({ [name]: {} })) }),
  })),
  executors: [{
    host: "minion",
    option: "module_executors",
    here: EXECUTOR_NAMES,
    values: (names) => ({ module_executors: names }),
  }],
  fileserver: [{
    host: "master",
    option: "fileserver_backend",
    here: ["roots", "gitfs", "git"],
    values: (names) => ({ fileserver_backend: names }),
  }],
  modules: [
    {
      host: "minion",
      option: "providers",
      here: [...Object.keys(MODULES), ...Object.keys(MODULES).map(moduleName)],
      values: (names) => ({ providers: Object.fromEntries(names.map((name) => [`p_${name}`, name])) }),
    },
    {
      host: "minion",
      option: "mine_functions",
      here: [...Object.keys(MODULES), ...Object.keys(MODULES).map(moduleName)],
      values: (_names, functions) => ({ mine_functions: each(functions, () => []) }),
    },
  ],
  output: [{
    host: "master",
    option: "output",
    here: Object.keys(OUTPUTTERS),
    values: (names) => ({ output: names.join(",") }),
  }],
  pillar: [{
    host: "master",
    option: "ext_pillar",
    here: Object.keys(EXT_PILLARS),
    values: (names) => ({ ext_pillar: names.map((name) => ({ [name]: [] })) }),
  }],
  renderers: [{
    host: "master",
    option: "renderer",
    here: RENDERER_NAMES,
    values: (names) => ({ renderer: names.join("|") }),
  }],
  returners: [
    {
      host: "master",
      option: "event_return",
      here: Object.keys(RETURNERS),
      values: (names) => ({ event_return: names }),
    },
    { host: "minion", option: "return", here: Object.keys(RETURNERS), values: (names) => ({ return: names }) },
  ],
  runners: [{
    host: "master",
    option: "schedule",
    here: Object.keys(RUNNERS),
    values: (_names, functions) => ({ schedule: each(functions, (fun) => ({ function: fun, hours: 1 })) }),
  }],
  sdb: [{
    host: "master",
    option: "",
    here: Object.keys(SDB),
    values: (names) => Object.fromEntries(names.map((name) => [`profile_${name}`, { driver: name }])),
  }],
  tops: [{
    host: "master",
    option: "master_tops",
    here: Object.keys(TOPS),
    values: (names) => ({ master_tops: each(names, () => ({})) }),
  }],
};

/** Families that no option of a daemon names one by one, and why. */
const UNNAMED: Record<string, string> = {
  proxy: "there are no proxy minions",
  queues: "a runner's argument",
  roster: "there is no salt-ssh",
  serializers: "an argument of states",
  states: "files name them: --check-tree",
  thorium: "there is no Thorium",
  tokens: "eauth_tokens has no effect",
  wheel: "commands name them",
};

async function findings(host: Host, values: Values): Promise<string[]> {
  const table = host === "master" ? MASTER_OPTIONS : MINION_OPTIONS;
  const { opts } = completeOptions(table, {
    file_client: host === "minion" ? "local" : "remote",
    master: "127.0.0.1",
    ...values,
  });
  const config = { opts: { ...opts, ...values }, given: new Set(Object.keys(values)), places: new Map() } as never;
  const checks = host === "master" ? MASTER_CHECKS : MINION_CHECKS;
  const { found } = await checkConfig({ kind: host, checks }, config, await currentRuntime());
  return found.map(({ problem, remedy }) => `${problem}. ${remedy}`);
}

test("each family of Salt's modules is named by an option here, or has a reason why not", () => {
  assert.deepEqual(Object.keys(SALT).sort(), [...Object.keys(NAMED), ...Object.keys(UNNAMED)].sort());
});

let parts = 0;
for (const [family, options] of Object.entries(NAMED)) {
  for (const { host, option, here, values } of options) {
    test(`--check of a ${host} names each of Salt's ${family} that is not here${option && ` (${option})`}`, async () => {
      const absent = Object.entries(SALT[family]!).filter(([file, { as = file }]) =>
        !here.includes(as) && !here.includes(file)
      );
      const names = absent.map(([file, { as = file }]) => as);
      const functions = absent.flatMap(([file, { as = file, functions = "" }]) =>
        functions === "" ? [] : [`${as}.${functions.split(/[ :]/)[0]}`]
      );
      const given = values(names, functions);
      const lines = await findings(host, given);
      for (const name of JSON.stringify(given).includes(functions[0] ?? "\0") ? functions : names) {
        const line = lines.find((text) => text.startsWith(option) && new RegExp(`\\b${name}\\b`).test(text));
        assert.ok(line !== undefined, `${family}: ${name} is not named in:\n${lines.join("\n")}`);
        parts++;
      }
    });
  }
}

test("that is more than forty parts", () => assert.ok(parts > 40, String(parts)));
