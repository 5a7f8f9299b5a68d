/**
 * Question: does the table of execution modules cost anything before a function is called, and what does the first call cost?
 *
 * Control row: the same process with a table of no modules. Both are bundled as releases are, and each is a new process: its
 * time is from its start until its table is ready, which the program prints; its memory is then the proportional set size.
 * Then `file.basename`, a function of the largest module, is called twice in the process with all modules: the first call
 * loads the module.
 *
 * Run: node bench/module_table.ts [--rounds 15] [--runtimes node,bun,deno] [--json] [--quick]
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { Bed } from "./bed/bed.ts";
import { installed, ROOT, runtimeCommand, type RuntimeName } from "./bed/runtimes.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface ModuleTableBenchOptions extends BenchOptions {
  /** @default 15, quick 5 */
  rounds?: number;
  runtimes?: readonly RuntimeName[];
}

const FORMS = ["no modules", "all modules"] as const;
type Form = typeof FORMS[number];

/** The program of the measured process, without and with the modules of a minion. */
function source(form: Form): string {
  const modules = form === "all modules"
    ? `import { MODULES } from "${ROOT}/src/plugins/modules/mod.ts";`
    : "const MODULES = {};";
  return `
    import "${ROOT}/cli/compile_cache.ts";
    import { createFunctionTable } from "${ROOT}/src/model/loader/loader.ts";
    import { currentRuntime } from "${ROOT}/src/runtime/current.ts";
    ${modules}
    const runtime = await currentRuntime();
    const context = { runtime, opts: {}, grains: {}, pillar: {} };
    const table = createFunctionTable(MODULES, () => context);
    console.log(JSON.stringify({ count: Object.keys(MODULES).length }));
    const call = async () => {
      const began = performance.now();
      const found = await table.find("file.basename");
      const value = "message" in found ? found.message : await found.function.run(context, { path: "/a/b" });
      return { ms: performance.now() - began, value };
    };
    process.stdin.once("data", async () => {
      console.log(JSON.stringify([await call(), await call()]));
      process.stdin.pause();
    });
  `;
}

interface Measured {
  ms: number[];
  memory: number[];
  first: number[];
  second: number[];
}

function pssOf(pid: number): number {
  const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))!;
  return Number(kilobytes) * 1024;
}

/** Bundles both in one run: the chunks that modules share are then the same in both. */
async function bundle(folder: string): Promise<Map<Form, string>> {
  const { rolldown } = await import("rolldown");
  const named = (form: Form) => form.replace(" ", "_");
  for (const form of FORMS) writeFileSync(path.join(folder, `${named(form)}.ts`), source(form));
  await using build = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(FORMS.map((form) => [named(form), path.join(folder, `${named(form)}.ts`)])),
    platform: "neutral",
    resolve: { mainFields: ["module", "main"], modules: [path.join(ROOT, "node_modules")] },
    external: ["zeromq", /^node:/, "@hono/node-server", "@hono/node-ws"],
    tsconfig: false,
  });
  await build.write({
    dir: path.join(folder, "out"),
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    minify: { mangle: false, compress: true, codegen: true },
  });
  return new Map(FORMS.map((form) => [form, path.join(folder, "out", `${named(form)}.mjs`)]));
}

export async function run(options: ModuleTableBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, rounds = quick ? 5 : 15 } = options;
  const runtimes = installed(options.runtimes);
  const folder = mkdtempSync(path.join(tmpdir(), "brine-bench-table-"));
  const found = new Map<string, Measured>();
  const key = (runtime: RuntimeName, form: Form) => `${runtime}, ${form}`;
  let count = 0;
  await using bed = new Bed();
  try {
    const files = await bundle(folder);
    for (const runtime of runtimes) {
      for (const form of FORMS) found.set(key(runtime, form), { ms: [], memory: [], first: [], second: [] });
    }
    for (let round = 0; round <= rounds; round++) {
      say(`module table: round ${round} of ${rounds}`);
      for (const runtime of runtimes) {
        for (const form of FORMS) {
          const began = performance.now();
          const child = bed.run([...runtimeCommand(runtime)!, files.get(form)!]);
          const ready = JSON.parse(await child.line()) as { count: number };
          const ms = performance.now() - began;
          const memory = process.platform === "linux" ? pssOf(child.pid) : undefined;
          count = Math.max(count, ready.count);
          const measured = found.get(key(runtime, form))!;
          child.tell("call");
          const [first, second] = JSON.parse(await child.line()) as { ms: number; value: unknown }[];
          await child.stop();
          if (form === "all modules" && (first!.value !== "b" || second!.value !== "b")) {
            throw new Error(`file.basename gave ${JSON.stringify(first!.value)}`);
          }
          // The first round is dropped: it reads files and compiles code for the first time.
          if (round === 0) continue;
          measured.ms.push(ms);
          if (memory !== undefined) measured.memory.push(memory);
          measured.first.push(first!.ms);
          measured.second.push(second!.ms);
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const rows: Row[] = [];
  const compare = (name: string, unit: string, pick: (measured: Measured) => number[], scale: number) => {
    for (const runtime of runtimes) {
      const [none, all] = FORMS.map((form) => pick(found.get(key(runtime, form))!));
      if (none!.length === 0) continue;
      const [without, having] = [median(none!), median(all!)];
      rows.push(
        { name, value: rounded(without / scale), unit, note: `${runtime}, no modules` },
        { name, value: rounded(having / scale), unit, note: `${runtime}, ${count} modules`, ratio: without / having },
      );
    }
  };
  compare("process start to its table of functions", "ms", (measured) => measured.ms, 1);
  compare("memory with that table", "MB (PSS)", (measured) => measured.memory, 1e6);
  for (const call of ["first", "second"] as const) {
    for (const runtime of runtimes) {
      rows.push({
        name: `${call} call of file.basename`,
        value: rounded(median(found.get(key(runtime, "all modules"))![call])),
        unit: "ms",
        note: runtime,
      });
    }
  }
  return rows;
}

if (import.meta.main) {
  await runProgram({ rounds: "number" }, run);
}
