/**
 * Question: what do custom modules in Python cost? One call through the helper that runs already, the first call, two hundred states
 * of a custom state module, and `sys.list_functions` with the modules of Salt's package; and the start of a host that has Python
 * and uses none.
 *
 * Control rows: real Salt 3006 with the same files, and Brine without Python. `small package` is Brine with a Python without Salt,
 * `Salt's package` Brine with the Python of real Salt. Programs take turns within a round; each figure is the median, after one round
 * for warm-up. Processor time includes all processes that a program has started: they are waited for.
 *
 * Run: node bench/python.ts [--rounds 7] [--only unused,first,warm,states,list] [--runtimes node,bun,deno] [--json] [--quick]
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bedDirectory } from "./bed/daemon_directory.ts";
import { ENVIRONMENT } from "./bed/run_command.ts";
import { installed, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, NO_SALT, realSalt, saltPython, type Side } from "./bed/sides.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface PythonBenchOptions extends BenchOptions {
  /** After one for warm-up. @default 7, quick 2 */
  rounds?: number;
  /** Names of parts, separated by commas. @default all */
  only?: string;
  runtimes?: readonly RuntimeName[];
}

const CALLS = 500;
const STATES = 200;

const FILES: Record<string, string> = {
  "ext/modules/echoes.py": `import time


def echo(text):
    """Returns its argument."""
    return text


def many(fun, count):
    """Milliseconds of one call, of many."""
    function = __salt__[fun]
    began = time.perf_counter()
    for _ in range(count):
        function("hello")
    return (time.perf_counter() - began) * 1000 / count
`,
  // Only Brine loads this: there, calls come from outside of Python.
  "ext/modules/loops.ts": `export async function many(context, fun, count) {
  const began = performance.now();
  for (let at = 0; at < count; at++) await context.call(fun, ["hello"]);
  return (performance.now() - began) / count;
}
`,
  "ext/states/shelf.py": `def filled(name, count=1):
    """A state that has nothing to do."""
    if __salt__["test.echo"](count) != count:
        return {"name": name, "result": False, "changes": {}, "comment": "no echo"}
    return {"name": name, "result": True, "changes": {}, "comment": f"{count} on {__grains__['id']}"}
`,
  "states/shelves.sls": `{% for number in range(${STATES}) %}
shelf_{{ number }}:
  shelf.filled:
    - count: {{ number }}
{% endfor %}
`,
};

/** Runs a program, waits for all processes that it leaves, and prints seconds of the clock and of processors, and the exit code. */
const TIMER = `import ctypes, os, resource, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
began = time.perf_counter()
pid = os.spawnvp(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
took = time.perf_counter() - began
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
used = resource.getrusage(resource.RUSAGE_CHILDREN)
sys.stderr.write(f"\\n{took} {used.ru_utime + used.ru_stime} {used.ru_maxrss} {code}")
`;

interface Run {
  ms: number;
  cpuMs: number;
  output: string;
}

/** One program with one configuration. */
interface Place {
  name: string;
  side: Side;
  config: string;
}

function writeTree(folder: string, options: string): string {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  mkdirSync(path.join(folder, "conf"), { recursive: true });
  writeFileSync(
    path.join(folder, "conf/minion"),
    `id: bench
file_client: local
root_dir: ${folder}
cachedir: ${folder}/cache
pki_dir: ${folder}/pki
log_file: ${folder}/log
extension_modules: ${folder}/ext
file_roots:
  base:
    - ${folder}/states
${options}`,
  );
  return path.join(folder, "conf");
}

function runOnce({ name, side, config }: Place, words: readonly string[]): Run {
  const [program, ...rest] = side.command("salt-call");
  const argv = ["-c", TIMER, program!, ...rest, "-c", config, "--local", "--out", "json", ...words];
  const { stdout, stderr } = spawnSync("python3", argv, { env: ENVIRONMENT, encoding: "utf8", maxBuffer: 2 ** 28 });
  const [took, used, , code] = stderr.split("\n").at(-1)!.split(" ").map(Number);
  if (code !== 0) throw new Error(`${name}: ${words.join(" ")} ended with ${code}:\n${stderr}${stdout.slice(-2000)}`);
  return { ms: took! * 1000, cpuMs: used! * 1000, output: stdout };
}

/** Runs words at places, which take turns. */
function turns(entries: readonly { place: Place; words: string[] }[], rounds: number): Run[][] {
  const runs: Run[][] = entries.map(() => []);
  for (let round = 0; round <= rounds; round++) {
    entries.forEach(({ place, words }, at) => {
      const one = runOnce(place, words);
      if (round > 0) runs[at]!.push(one);
    });
  }
  return runs;
}

const number = ({ output }: Run) => Number((JSON.parse(output) as { local: number }).local);
const of = (runs: readonly Run[], field: (one: Run) => number) => median(runs.map(field));

interface Places {
  without: Place;
  small: Place;
  lent: Place | undefined;
  real: Place | undefined;
}

/** Whole programs beside real Salt: time and processor time. */
function whole(name: string, places: (Place | undefined)[], words: string[], rounds: number): Row[] {
  const known = places.filter((place) => place !== undefined);
  const runs = turns(known.map((place) => ({ place, words })), rounds);
  const control = known.findIndex(({ side }) => side.runtime === undefined);
  return ([["", ({ ms }) => ms], [": processor time", ({ cpuMs }) => cpuMs]] as [string, (one: Run) => number][])
    .flatMap(([what, field]) =>
      known.map((place, at): Row => ({
        name: name + what,
        value: rounded(of(runs[at]!, field)),
        unit: "ms",
        note: place.name,
        ...(control >= 0 && at !== control ? { ratio: of(runs[control]!, field) / of(runs[at]!, field) } : {}),
      }))
    );
}

const PARTS: Record<string, (places: Places, rounds: number) => Row[]> = {
  unused: ({ without, small }, rounds) =>
    whole("test.ping, Python is not used", [without, small], ["test.ping"], rounds),
  first({ small, lent }, rounds) {
    const places = [small, lent].filter((place) => place !== undefined);
    const entries = places.flatMap((place) =>
      ["test.echo", "echoes.echo"].map((fun) => ({ place, words: [fun, "hello"] }))
    );
    const runs = turns(entries, rounds);
    return places.flatMap((place, at): Row[] => {
      const more = (field: (one: Run) => number) => of(runs[2 * at + 1]!, field) - of(runs[2 * at]!, field);
      return [
        {
          name: "first call of Python, more than test.echo",
          value: rounded(more(({ ms }) => ms)),
          unit: "ms",
          note: place.name,
        },
        {
          name: "first call of Python, more than test.echo: processor time",
          value: rounded(more(({ cpuMs }) => cpuMs)),
          unit: "ms",
          note: place.name,
        },
      ];
    });
  },
  warm({ small, lent, real }, rounds) {
    const calls = (module: string, fun: string) => [`${module}.many`, fun, String(CALLS)];
    const entries = [small, lent].filter((place) => place !== undefined).flatMap((place) => [
      { place, words: calls("loops", "test.echo"), note: `${place.name}: test.echo, in Brine` },
      { place, words: calls("loops", "echoes.echo"), note: `${place.name}: Python from Brine` },
      { place, words: calls("echoes", "test.echo"), note: `${place.name}: Brine from Python` },
      { place, words: calls("echoes", "echoes.echo"), note: `${place.name}: Python from Python` },
    ]);
    if (real !== undefined) entries.push({ place: real, words: calls("echoes", "test.echo"), note: real.name });
    const runs = turns(entries, rounds);
    return entries.map(({ note }, at): Row => ({
      name: `one of ${CALLS} calls`,
      value: rounded(of(runs[at]!, number)),
      unit: "ms",
      note,
    }));
  },
  states: ({ small, lent, real }, rounds) =>
    whole(`${STATES} states of a module in Python`, [small, lent, real], ["state.apply", "shelves"], rounds),
  list: ({ lent, real }, rounds) =>
    whole("sys.list_functions with Salt's package", [lent, real], ["sys.list_functions"], rounds),
};

export function run(options: PythonBenchOptions = {}): Row[] {
  const { quick = false, say = () => {}, rounds = quick ? 2 : 7 } = options;
  buildBundle();
  const real = realSalt();
  if (real === undefined) say(NO_SALT);
  const chosen = options.only?.split(",") ?? Object.keys(PARTS);
  const root = bedDirectory("brine-python-");
  try {
    return installed(options.runtimes).flatMap((runtime) => {
      const side = brine(runtime, "bundle");
      const place = (name: string, more: string, of: Side = side): Place => ({
        name,
        side: of,
        config: writeTree(path.join(root, name.replace(/\W+/g, "-")), more),
      });
      const places: Places = {
        without: place(`${runtime}, without Python`, "python: False\n"),
        small: place(`${runtime}, small package`, "python_salt: False\n"),
        lent: real && place(`${runtime}, Salt's package`, `python: ${saltPython()}\n`),
        real: real && place(real.name, "", real),
      };
      return chosen.flatMap((part) => {
        say(`python: ${part}, ${runtime}`);
        return PARTS[part]!(places, rounds);
      });
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

if (import.meta.main) await runProgram({ rounds: "number", only: "text" }, run);
