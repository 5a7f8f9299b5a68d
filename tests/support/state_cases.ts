/**
 * Recorded runs of states (`tests/golden-states/run`) on the state modules alone: each state of an SLS is called in the order in
 * which it is written. Cases with requisites, conditions or templates need the runner of states.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobContext } from "../../src/loader/context.ts";
import { bindArguments, parseSignature } from "../../src/loader/signature.ts";
import type { LowChunk, StateContext, StateReturn } from "../../src/loader/states.ts";
import { STATES } from "../../src/plugins/states/mod.ts";
import { type AnyMap, entriesOf, isMap } from "../../src/python/containers.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { Runtime } from "../../src/runtime/mod.ts";
import { parseOrderedYaml } from "../../src/yaml/document.ts";
import { inTemporary } from "../plugins/temporary.ts";
import { type TestMinion, testMinion } from "./context.ts";
import { recordedValue } from "./recorded_values.ts";

type Json = Record<string, unknown>;
type Entry = { text?: string; mode?: string; dir?: string; link?: string; gzip?: boolean };

interface Run {
  run: "test" | "real" | "again";
  return?: { $state: [string, Json][] };
  files?: Record<string, Entry>;
  same?: boolean;
}

interface Case {
  id: string;
  files: Record<string, string>;
  tree?: Record<string, string | Entry>;
  opts?: Json;
  runs: Run[];
}

/** Calls one state function on a minion, as the runner does for a chunk without requisites. */
export async function runState(minion: TestMinion, chunk: LowChunk, dry = false): Promise<StateReturn> {
  const { state, fun, __id__: _, ...rest } = chunk;
  const load = STATES[String(state)];
  assert.ok(load !== undefined, `there is no state module ${state}`);
  const { states } = await load();
  const found = states.functions[String(fun)];
  assert.ok(found !== undefined, `there is no state ${state}.${fun}`);
  const signature = parseSignature(found.signature);
  const bound = bindArguments(`${state}.${fun}`, signature, [], new Map(Object.entries(rest)));
  let ret: StateReturn | undefined;
  const outcome = await minion.run("probe.state", [], {
    load: {
      probe: async (context: JobContext) => {
        const given = Object.create(context, {
          opts: { value: { ...context.opts, test: dry } },
          test: { value: dry },
          saltenv: { value: "base" },
          low: { value: chunk },
          lowstate: { value: [chunk] },
          running: { value: new Map() },
          shared: { value: new Map() },
        }) as StateContext;
        ret = await found.run(given, bound);
      },
    },
  });
  if (ret === undefined) throw new Error(String(outcome.return));
  return ret;
}

/** A minion whose job `probe.state` runs what its load has under `probe`. */
export async function stateMinion(options: Parameters<typeof testMinion>[0] = {}): Promise<TestMinion> {
  return await testMinion({
    ...options,
    modules: {
      probe: () =>
        Promise.resolve({
          module: {
            functions: {
              state: {
                signature: "",
                doc: "",
                run: (context: JobContext) => (context.load!.probe as (context: JobContext) => unknown)(context),
              },
            },
          },
        }),
    },
  });
}

/** The states of an SLS file in its order, a chunk for each name. */
function chunksOf(text: string): LowChunk[] {
  const chunks: LowChunk[] = [];
  for (const [id, body] of entriesOf(parseOrderedYaml(text).value as AnyMap)) {
    for (const [what, args] of entriesOf(body as AnyMap)) {
      const [state, fun] = String(what).split(".");
      const given = Object.fromEntries(((args ?? []) as AnyMap[]).flatMap((one) => entriesOf(one))) as Json;
      const { names, ...rest } = given;
      for (const name of (names as unknown[] | undefined) ?? [rest.name ?? id]) {
        chunks.push({ state, ...rest, name, __id__: id, fun });
      }
    }
  }
  return chunks;
}

function plant({ fs }: Runtime, root: string, tree: Record<string, string | Entry>): void {
  for (const [path, what] of Object.entries(tree)) {
    const full = `${root}/${path}`;
    fs.mkdir(full.slice(0, full.lastIndexOf("/")));
    const text = (value: string) => value.replaceAll("{W}", root);
    if (typeof what === "string") fs.write(full, text(what), { mode: 0o644 });
    else if (what.link !== undefined) fs.symlink(text(what.link), full);
    else if (what.dir !== undefined) fs.mkdir(full, parseInt(what.dir, 8));
    else fs.write(full, text(what.text ?? ""), { mode: parseInt(what.mode ?? "644", 8) });
  }
}

function treeOf({ fs }: Runtime, root: string, under = ""): Record<string, Entry> {
  const found: Record<string, Entry> = {};
  for (const name of fs.list(`${root}${under}`)) {
    const path = `${under}/${name}`;
    const stat = fs.stat(root + path, { follow: false })!;
    if (stat.kind === "symlink") found[path.slice(1)] = { link: fs.readlink(root + path).replaceAll(root, "{W}") };
    else if (stat.kind === "directory") {
      found[path.slice(1)] = { dir: stat.mode.toString(8) };
      if (name !== ".git") Object.assign(found, treeOf({ fs } as Runtime, root, path));
    } else {
      found[path.slice(1)] = { text: fs.readText(root + path).replaceAll(root, "{W}"), mode: stat.mode.toString(8) };
    }
  }
  return found;
}

/** What is compared of an entry: not what the runner adds. */
const RUNNERS_OWN = new Set(["__sls__", "__run_num__", "start_time", "duration", "__id__"]);

const plain = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(plain)
    : isMap(value)
    ? Object.fromEntries(entriesOf(value).map(([key, item]) => [String(key), plain(item)]))
    : value ?? null;

export interface StateCasesOptions {
  /** Ids → why they are not run here. */
  skip?: Record<string, string>;
  /** Why none of them can be run on this machine. */
  skipAll?: string | false;
  /** Changes a comment before it is compared. */
  comment?(text: string): string;
}

/** One test for each case of a file of recorded runs. */
export async function replayCases(file: string, options: StateCasesOptions = {}): Promise<void> {
  const runtime = await currentRuntime();
  const url = new URL(`../golden-states/run/${file}.json`, import.meta.url);
  const { recorded, cases } = JSON.parse(runtime.fs.readText(url.pathname)) as {
    recorded: { grains: Json };
    cases: Case[];
  };
  for (const one of cases) {
    test(`${file}: ${one.id}`, { skip: options.skipAll || (options.skip?.[one.id] ?? false) }, async () => {
      await inTemporary(runtime, (directory) => replay(runtime, directory, recorded.grains, one, options));
    });
  }
}

async function replay(
  runtime: Runtime,
  directory: string,
  grains: Json,
  one: Case,
  { comment = (text) => text }: StateCasesOptions,
): Promise<void> {
  const root = `${directory}/w`;
  const fill = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll("{W}", root).replaceAll("{FILES}", `${directory}/files`));
  for (const made of [root, `${directory}/conf`]) runtime.fs.mkdir(made);
  plant(runtime, `${directory}/files`, one.files);
  plant(runtime, root, one.tree ?? {});
  const environment = runtime.process.environment();
  let expected = one.runs[0]!;
  let before = treeOf(runtime, root);
  for (const run of one.runs) {
    if (run.same !== true) expected = run;
    const minion = await stateMinion({
      opts: {
        conf_file: `${directory}/conf/minion`,
        cachedir: `${directory}/cache`,
        file_roots: { base: [`${directory}/files`] },
        file_client: "local",
        ...fill(one.opts ?? {}) as Json,
      },
      grains: structuredClone(grains),
      master: null,
    });
    const ours: [unknown, unknown][] = [];
    for (
      const chunk of chunksOf(one.files["a.sls"]!.replaceAll("{W}", root).replaceAll("{FILES}", `${directory}/files`))
    ) {
      ours.push([chunk.name, await runState(minion, chunk, run.run === "test")]);
    }
    const entries = fill(expected.return!.$state) as [string, Json][];
    assert.equal(ours.length, entries.length);
    entries.forEach(([, entry], at) => {
      const want = Object.entries(entry).filter(([key]) => !RUNNERS_OWN.has(key));
      const got = Object.entries(ours[at]![1] as Json);
      const shown = (pairs: [string, unknown][]) =>
        Object.fromEntries(
          pairs.map(([key, value]) => [key, key === "comment" ? comment([value].flat().join("\n")) : plain(value)])
            .sort(),
        );
      assert.deepEqual(
        shown(got),
        shown(want.map(([key, value]) => [key, recordedValue(value as never)])),
        `${run.run} run`,
      );
    });
    const after = treeOf(runtime, root);
    if (run.same !== true && run.files !== undefined) {
      assert.deepEqual(after, run.files);
    } else if (run.run === "test") assert.deepEqual(after, before, "a dry run changes nothing");
    before = after;
    for (const name of Object.keys(runtime.process.environment())) {
      if (!(name in environment)) runtime.process.setEnv(name, undefined);
    }
  }
}
