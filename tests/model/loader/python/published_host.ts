/** A host with the Python files of `tests/vectors/python`, and calls of each of their kinds. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { openCallHost } from "../../../../cli/programs/call/call_host.ts";
import { openMasterPillar, openOwnPillar } from "../../../../cli/pillar.ts";
import { RUNNER_MODULES } from "../../../../cli/runner_modules.ts";
import { createLogger, type LogRecord } from "../../../../src/base/log.ts";
import { systemClock } from "../../../../src/base/async/clock.ts";
import { entriesOf, isFloat, isMap } from "../../../../src/language/python/values.ts";
import { parseYaml } from "../../../../src/language/yaml/document.ts";
import { loadConfig } from "../../../../src/model/config/load.ts";
import { MASTER_OPTIONS } from "../../../../src/model/config/master_opts.ts";
import { MINION_OPTIONS } from "../../../../src/model/config/minion_opts.ts";
import type { BeaconItem, BeaconRun } from "../../../../src/model/loader/beacons.ts";
import { customOutputters } from "../../../../src/model/loader/custom_outputters.ts";
import { runCustomTop } from "../../../../src/model/loader/custom_tops.ts";
import { withCustomBeacons } from "../../../../src/model/loader/custom_beacons.ts";
import { withCustomReturners } from "../../../../src/model/loader/custom_returners.ts";
import type { ReturnerModule } from "../../../../src/model/loader/family.ts";
import { closePython } from "../../../../src/model/loader/python/python_file.ts";
import { moduleNamed } from "../../../../src/model/loader/loaded_file.ts";
import { gatherGrains } from "../../../../src/plugins/grains/mod.ts";
import { callFunction, MissingFunctionError } from "../../../../src/host/minion/processes/execute_job.ts";
import { AccessRules } from "../../../../src/host/master/access/acl.ts";
import { ExternalAuth } from "../../../../src/host/master/access/external_auth.ts";
import { PatternCache } from "../../../../src/model/target/patterns.ts";
import { RunnerHost } from "../../../../src/host/runner/runner_host.ts";
import { render } from "../../../../src/plugins/outputters/mod.ts";
import { WHEELS } from "../../../../src/plugins/wheel/mod.ts";
import { withCustomWheels } from "../../../../src/model/loader/wheel.ts";
import { customSerializer } from "../../../../src/model/loader/custom_serializers.ts";
import { callContext } from "../../../../src/model/loader/template_functions.ts";
import { bindArguments, parseSignature } from "../../../../src/model/loader/signature.ts";
import { DateTime, decode, encode } from "../../../../src/protocol/wire/msgpack.ts";
import { currentRuntime } from "../../../../src/runtime/current.ts";

const VECTORS = fileURLToPath(new URL("../../../vectors/python/", import.meta.url));

type Json = Record<string, unknown>;

/** One call of `cases.json`. */
export interface Case {
  id: string;
  kind?: string;
  fun: string;
  args?: unknown[];
  kwargs?: Json;
  /** The releases whose package lends it. @default it is a custom file */
  lent?: string[];
  /** True if the files that it leaves count. */
  files?: boolean;
}

function filled(value: unknown, work: string): unknown {
  if (typeof value === "string") return value.replaceAll("{dir}", work);
  if (Array.isArray(value)) return value.map((item) => filled(item, work));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, work)]));
}

/** A value as `record.py` writes it. @param work a directory that is left out of texts */
export function plain(value: unknown, work: string): unknown {
  if (typeof value === "string") return value.replaceAll(work, "{dir}");
  if (value === undefined || value === null) return null;
  if (isFloat(value) || typeof value === "bigint") return Number(value);
  if (value instanceof DateTime) {
    const iso = new Date(value.epochMs).toISOString();
    return {
      $datetime: `${iso.slice(0, 19).replaceAll("-", "")}.${
        String(value.epochMs % 1000 * 1000 + value.micros).padStart(6, "0")
      }`,
    };
  }
  if (value instanceof Uint8Array) return { $bytes: btoa(String.fromCharCode(...value)) };
  if (Array.isArray(value)) return value.map((item) => plain(item, work));
  if (!isMap(value)) return value;
  const entries = entriesOf(value).map(([key, item]) => [plain(key, work), plain(item, work)]);
  return entries.every(([key]) => typeof key === "string") ? Object.fromEntries(entries) : { $map: entries };
}

/** Without the lines of a traceback, as `record.py` has it. */
function withoutFrames(value: unknown): unknown {
  if (typeof value !== "string" || !value.includes(": Traceback (most")) return value;
  return [value.split(": Traceback")[0], value.trimEnd().split("\n").at(-1)];
}

/** The text of an exception, as Python has it. */
async function textOf(error: unknown): Promise<string> {
  const { message, info } = error as Error & { info?: unknown };
  if (info === undefined || info === null) return message;
  const { text } = await render("nested", info, { color: false });
  return `${message}${/[.!?]$/.test(message) ? "" : "."} Additional info follows:\n\n${text}`;
}

function steady(value: unknown): unknown {
  if (!isMap(value)) return withoutFrames(value);
  return Object.fromEntries(
    entriesOf(value).filter(([key]) => key !== "start_time" && key !== "duration").map(([key, item]) => [
      String(key),
      steady(item),
    ]),
  );
}

export interface Published {
  /** What a call returns or throws, as `record.py` writes it. */
  answer(one: Case): Promise<Json>;
  /** What was logged so far. */
  records: LogRecord[];
  close(): Promise<void>;
}

/** Opens a host as `cases.json` configures it. @param more further options, such as `python` */
export async function openPublished(config: { minion: Json; master: Json }, more: Json): Promise<Published> {
  const work = realpathSync(mkdtempSync(path.join(tmpdir(), "brine-published-")));
  cpSync(path.join(VECTORS, "extmods"), path.join(work, "extmods"), { recursive: true });
  for (const name of ["etc", "out", "cache/proc"]) mkdirSync(path.join(work, name), { recursive: true });
  const roots = {
    file_roots: { base: [path.join(VECTORS, "salt")] },
    pillar_roots: { base: [path.join(VECTORS, "pillar")] },
  };
  const own = filled(config.minion, work) as Json;
  const written = {
    minion: { ...own, ...roots, ...more },
    master: { ...own, ...filled(config.master, work) as Json, ...roots, ...more },
  };
  const runtime = { ...await currentRuntime(), clock: systemClock };
  const records: LogRecord[] = [];
  const log = createLogger((record) => records.push(record), "warning");
  const read = <T extends typeof MINION_OPTIONS | typeof MASTER_OPTIONS>(name: "minion" | "master", table: T) => {
    const file = path.join(work, "etc", name);
    writeFileSync(file, JSON.stringify(written[name]));
    const { opts } = loadConfig({ fs: runtime.fs, log, parse: parseYaml, file, table, onProblem: "warning" });
    return Object.assign(opts, { __role: name });
  };
  const opts = read("minion", MINION_OPTIONS);
  const masterOpts = read("master", MASTER_OPTIONS);
  const program = { runtime, options: { local: true }, log };
  const grains = await gatherGrains({ runtime, log, opts });
  const host = await openCallHost(program, opts, grains);
  const master = { runtime, log, opts: masterOpts as unknown as Json };
  const minion = { runtime, log, opts: opts as unknown as Json };

  const call = async (fun: string, args: unknown[], kwargs: Json, more: Json = {}) => {
    const arg = Object.keys(kwargs).length === 0 ? args : [...args, { __kwarg__: true, ...kwargs }];
    try {
      const load = { fun, arg, jid: "20240101000000000000", ...more };
      return (await callFunction({ functions: host.functions, context: () => host.base, load, published: {} })).return;
    } catch (error) {
      if (error instanceof MissingFunctionError) return { missing: error.message };
      throw error;
    }
  };
  const looks = new Map<string, Omit<BeaconRun, "settings" | "name">>();
  const kinds: Record<string, (fun: string, args: unknown[], kwargs: Json) => Promise<unknown>> = {
    modules: (...one) => call(...one),
    states: async (...one) => steady(await call(...one)),
    executors: (fun, [option]) =>
      call(fun, [], {}, { module_executors: parseYaml(String(option).split("=")[1]!).value }),
    grains: () =>
      Promise.resolve(Object.fromEntries(Object.entries(grains).filter(([name]) => name.startsWith("shop")))),
    pillar: async (_fun, [changed]) => {
      const used = { ...minion.opts, ...changed as Json };
      return await openOwnPillar(runtime, used, log)({ id: "web1", grains, saltenv: "base", extraMinionData: {} });
    },
    async returners(fun, args) {
      const [module, name] = fun.split(".") as [string, keyof ReturnerModule];
      const returner = (await moduleNamed(withCustomReturners({}, minion), "returner", module))!;
      let value: unknown;
      if (fun.endsWith(".event_return")) {
        await returner.eventReturn!(minion, {
          id: "1",
          again: false,
          events: (args[0] as Json[]).map((one) => ({ ...one, id: "x" })) as never,
        });
      } else if (fun.endsWith(".get_jids")) {
        value = {};
        for await (const [jid, text] of returner.getJids!(minion)) Object.assign(value as Json, { [jid]: text });
      } else {
        const named = String(name).replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase()) as "getLoad";
        value = await (returner[named] as (...all: unknown[]) => unknown)(
          minion,
          ...args,
          ...named.startsWith("save") ? [[]] : [],
        );
        if (value === undefined && named === "getLoad") value = {};
      }
      const found = readdirSync(work).filter((name) => name.startsWith("returned")).sort();
      const texts = Object.fromEntries(found.map((name) => [name, readFileSync(path.join(work, name), "utf8")]));
      rmSync(path.join(work, "returned"), { force: true });
      return [value, texts];
    },
    async output(name, [data]) {
      const place = { ...minion, opts: { ...minion.opts, output_indent: 2, color: false } };
      return (await render(name, data, { color: false, indent: 0 }, {}, customOutputters(place))).text;
    },
    async beacons(fun, [config]) {
      const [name, what] = fun.split(".") as [string, string];
      const files = withCustomBeacons({}, callContext({ functions: host.functions, context: () => host.base }));
      const registry = Object.fromEntries(
        Object.entries(files).map(([file, load]) => [file, async () => ({ beacon: await load() })]),
      );
      const module = (await moduleNamed(registry, "beacon", name))!;
      const context = callContext({ functions: host.functions, context: () => host.base });
      const run = looks.get(name) ?? { context, memory: new Map<string, unknown>() };
      looks.set(name, run);
      const items = config as BeaconItem[];
      if (what === "validate") return await module.validate!(items, context);
      if (what === "close") return module.close!(run);
      return await module.beacon(items, { ...run, name, settings: Object.assign({}, ...items) });
    },
    async tops(fun, _args, kwargs) {
      const settings = (master.opts.master_tops as Json)[fun.split(".")[0]!];
      const { opts, grains } = kwargs as { opts: Json; grains: Json };
      return await runCustomTop(master, { name: fun.split(".")[0]!, id: String(opts.id), opts, grains, settings });
    },
    async wheel(fun, positional, keyword) {
      const [module, name] = fun.split(".") as [string, string];
      const { wheel } = await withCustomWheels(WHEELS, master)[module]!();
      const found = wheel.functions[name]!;
      const bound = bindArguments(name, parseSignature(found.signature), positional, new Map(Object.entries(keyword)));
      return await found.run(master as never, bound);
    },
    async auth(username, [password]) {
      const logins = new ExternalAuth({
        runtime: {
          ...runtime,
          clock: {
            ...systemClock,
            sleep: (ms, signal) => ms < 5000 ? Promise.resolve() : systemClock.sleep(ms, signal),
          },
        },
        log,
        opts: masterOpts,
        tokens: {} as never,
        rules: new AccessRules(new PatternCache()),
        backends: {},
      });
      const known = await logins.identify({ eauth: "shopauth", username, password });
      return known === undefined ? false : [known.name, known.groups, known.permissions];
    },
    async serializers(fun, [value]) {
      const [module, name] = fun.split(".") as [string, "serialize" | "deserialize"];
      const found = (await customSerializer(minion, module))!;
      if (name === "serialize") return await found.serialize(value, {});
      return await found.deserialize!(new TextEncoder().encode(String(value)), {});
    },
    async runners(fun, positional, keyword) {
      let returned: unknown;
      const runner = await RunnerHost.open({
        ...master,
        opts: masterOpts,
        plugins: {
          ...RUNNER_MODULES,
          openPillar: () => ({ compile: openMasterPillar(runtime, master.opts, log) }) as never,
        },
        isBrine: true,
        delimiter: ":",
        jid: "20240101000000000000",
        screen: { quiet: true, show: () => Promise.resolve(), line: () => {} },
        onReturn: (data) => returned = data.return,
      });
      try {
        const found = await runner.find(fun);
        if (found === undefined) return { missing: fun };
        await runner.run(found, fun, { positional, keyword: new Map(Object.entries(keyword)), user: "root" });
      } finally {
        await runner.close();
      }
      return withoutFrames(returned);
    },
  };
  return {
    records,
    async answer({ kind = "modules", fun, args = [], kwargs = {}, files = false }) {
      const found: Json = {};
      try {
        const value = await kinds[kind]!(fun, filled(args, work) as unknown[], filled(kwargs, work) as Json);
        found.return = plain(decode(encode(value ?? null, "wire"), { mode: "wire" }), work);
      } catch (error) {
        found.raised = [(error as Error).name, String(plain(await textOf(error), work))];
      }
      if (files) {
        const names = readdirSync(path.join(work, "out")).sort();
        found.files = Object.fromEntries(
          names.map((name) => [name, readFileSync(path.join(work, "out", name), "utf8")]),
        );
        for (const name of names) rmSync(path.join(work, "out", name), { recursive: true });
      }
      return found;
    },
    async close() {
      await closePython(runtime);
      await host.bus.close();
      rmSync(work, { recursive: true, force: true });
    },
  };
}
