/** A minion whose disk is in memory and whose programs say what a test says. */
import { currentRuntime } from "../../src/runtime/current.ts";
import type { ExecutionFunction } from "../../src/model/loader/family.ts";
import type { FileSystem } from "../../src/runtime/fs.ts";
import { memoryRuntime } from "../../src/runtime/memory/memory_runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { type TestMinion, testMinion } from "./context.ts";
import { FakeClock } from "./fake_clock.ts";

export interface MemoryHost {
  minion: TestMinion;
  fs: FileSystem;
  host: Runtime["host"];
  /** The programs that were run, each with its words joined by spaces. */
  ran: string[];
}

export interface MemoryHostOptions {
  /** What programs print, by their words joined by spaces; others print nothing and succeed. */
  answers?: Record<string, string | { stdout?: string; stderr?: string; retcode?: number }>;
  /** Programs that are there, in /usr/sbin. */
  programs?: readonly string[];
  /** Path → content. */
  files?: Record<string, string>;
  grains?: Record<string, unknown>;
  /** Functions in the place of those of modules. */
  modules?: Record<string, Record<string, ExecutionFunction>>;
}

export async function memoryHost(options: MemoryHostOptions = {}): Promise<MemoryHost> {
  const { answers = {}, programs = [], files = {}, grains = {}, modules = {} } = options;
  const { crypto } = await currentRuntime();
  const clock = Object.assign(new FakeClock(), { sleep: () => Promise.resolve() });
  const { fs, host } = memoryRuntime({ clock, crypto });
  fs.mkdir("/etc");
  fs.mkdir("/tmp");
  fs.mkdir("/usr/sbin");
  for (const name of programs) fs.write(`/usr/sbin/${name}`, "", { mode: 0o755 });
  for (const [path, content] of Object.entries(files)) {
    fs.mkdir(path.replace(/\/[^/]*$/, ""));
    fs.write(path, content, { mode: 0o644 });
  }
  const ran: string[] = [];
  const outcome = (cmd: unknown) => {
    ran.push(Array.isArray(cmd) ? cmd.join(" ") : String(cmd));
    const said = answers[ran.at(-1)!] ?? {};
    return { pid: 1, retcode: 0, stdout: "", stderr: "", ...(typeof said === "string" ? { stdout: said } : said) };
  };
  const fun = (pick: (done: ReturnType<typeof outcome>) => unknown) => ({
    signature: "cmd, **kwargs",
    doc: "",
    run: (_: unknown, { cmd }: Record<string, unknown>) => pick(outcome(cmd)),
  });
  const functions = {
    run: fun(({ stdout, stderr }) => [stdout, stderr].filter((text) => text !== "").join("\n")),
    run_all: fun((done) => done),
    run_stdout: fun(({ stdout }) => stdout),
    retcode: fun(({ retcode }) => retcode),
  };
  const minion = await testMinion({
    runtime: { fs, host, clock },
    modules: Object.fromEntries(
      Object.entries({ cmd: functions, ...modules }).map((
        [name, own],
      ) => [name, () => Promise.resolve({ module: { functions: own } })]),
    ),
    grains: { kernel: "Linux", os: "Debian", os_family: "Debian", ...grains },
  });
  return { minion, fs, host, ran };
}
