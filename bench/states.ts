/**
 * Question: how long does `salt-call --local` take for states, beside real Salt 3006: one state, five hundred managed files with
 * templates of which none is to be changed, and two thousand states with requisites that are compiled and not run? How much memory
 * does the second take? And how fast are the largest recorded templates, beside Jinja2?
 *
 * Control row: real Salt 3006 with the same tree, the same options and a configuration directory of its own, in the same run. Sides
 * take turns within a round; each figure is the median, after one round for warm-up, in which files are cached and managed files
 * written. Times are those of whole processes; their processor time depends less on what else the machine does. Memory is the
 * most that the process had at any time (`VmHWM`), read while it runs.
 *
 * Run: node bench/states.ts [--rounds 5] [--only one,files,compile,templates] [--runtimes node,bun,deno] [--json] [--quick]
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { bedDirectory } from "./bed/daemon_directory.ts";
import { ENVIRONMENT } from "./bed/run_command.ts";
import { runOn } from "./bed/run_on.ts";
import { installed, ROOT, type RuntimeName } from "./bed/runtimes.ts";
import { brine, buildBundle, NO_SALT, realSalt, saltPython, type Side } from "./bed/sides.ts";
import { runProgram } from "./program.ts";
import { type BenchOptions, median, rounded, type Row } from "./rows.ts";

export interface StatesBenchOptions extends BenchOptions {
  /** After one for warm-up. @default 5, quick 2 */
  rounds?: number;
  /** Names of parts, separated by commas. @default all */
  only?: string;
  runtimes?: readonly RuntimeName[];
}

/** Managed files of one run. */
const FILES = 500;
/** States that are compiled. */
const STATES = 2000;

const ONE = `hello:
  file.managed:
    - name: {{ pillar.out }}/hello
    - contents: hello
`;

const MANY = `{% for number in range(${FILES}) %}
file_{{ number }}:
  file.managed:
    - name: {{ pillar.out }}/{{ number }}.conf
    - source: salt://conf/{{ number % 10 }}.conf
    - template: jinja
    - mode: '0644'
    - context:
        number: {{ number }}
{% endfor %}
`;

const TEMPLATE = `# {{ number }}
{% for name, value in pillar.settings.items() %}{{ name }} = {{ value }}{% if not loop.last %}
{% endif %}{% endfor %}
host = {{ grains.id | upper }}
`;

/** Chains of ten: each state requires the one before it, and every tenth watches the first of its chain. */
const CHAINS = `{% for number in range(${STATES}) %}
state_{{ number }}:
  test.succeed_without_changes:
    - name: name of {{ number }}
{% if number % 10 %}
    - require:
      - test: state_{{ number - 1 }}
{% if number % 10 == 9 %}
    - watch:
      - test: state_{{ number - 9 }}
{% endif %}
{% endif %}
{% endfor %}
`;

/** What is measured: the name of its rows, and the words for `salt-call`. */
export const PARTS: Record<string, { name: string; words: string[]; memory?: true }> = {
  one: { name: "state.apply of one state", words: ["state.apply", "one"] },
  files: { name: `${FILES} managed files, nothing to do`, words: ["state.apply", "many"], memory: true },
  compile: { name: `${STATES} states with requisites, compiled`, words: ["state.show_lowstate"] },
};

/** Writes the tree of a side, and the configuration that names it. @returns the configuration directory */
export function writeTree(folder: string): string {
  const out = path.join(folder, "out");
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  };
  mkdirSync(out, { recursive: true });
  write("states/top.sls", "base:\n  '*':\n    - chains\n");
  write("states/chains.sls", CHAINS);
  write("states/one.sls", ONE);
  write("states/many.sls", MANY);
  for (let number = 0; number < 10; number++) write(`states/conf/${number}.conf`, `${number}\n${TEMPLATE}`);
  const settings = Array.from({ length: 20 }, (_, at) => `  setting_${at}: value ${at}\n`).join("");
  write("pillar/top.sls", "base:\n  '*':\n    - all\n");
  write("pillar/all.sls", `out: ${out}\nsettings:\n${settings}`);
  write(
    "conf/minion",
    `id: bench
file_client: local
root_dir: ${folder}
cachedir: ${folder}/cache
pki_dir: ${folder}/pki
log_file: ${folder}/log
file_roots:
  base:
    - ${folder}/states
pillar_roots:
  base:
    - ${folder}/pillar
`,
  );
  return path.join(folder, "conf");
}

interface Run {
  ms: number;
  /** User and system time, in milliseconds; undefined where the system does not report it. */
  cpuMs: number | undefined;
  /** Bytes. */
  memory: number;
}

/** The most memory that a process had so far, in bytes; zero once it has ended. */
function peak(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Processor time of all programs that this one has started and that have ended, in milliseconds. */
function childrenCpuMs(): number | undefined {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const [user, system] = stat.slice(stat.lastIndexOf(")") + 2).split(" ").slice(13, 15);
    // Linux reports a hundred ticks a second, whatever the rate of the kernel.
    return (Number(user) + Number(system)) * 10;
  } catch {
    return undefined;
  }
}

/** Runs a function of `salt-call --local` once. */
export async function runOnce(side: Side, config: string, words: readonly string[]): Promise<Run> {
  const [program, ...rest] = side.command("salt-call");
  const before = childrenCpuMs();
  const began = performance.now();
  const child = spawn(program!, [...rest, "-c", config, "--local", "--out", "json", ...words], {
    env: ENVIRONMENT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => output.stdout += text);
  child.stderr.setEncoding("utf8").on("data", (text: string) => output.stderr += text);
  let memory = 0;
  const sampling = setInterval(() => memory = Math.max(memory, peak(child.pid!)), 5);
  let ms = 0;
  child.once("exit", () => ms = performance.now() - began);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  clearInterval(sampling);
  if (code !== 0) {
    throw new Error(
      `${side.name}: ${words.join(" ")} ended with ${code}:\n${output.stderr}${output.stdout.slice(-2000)}`,
    );
  }
  const after = childrenCpuMs();
  return { ms, memory, cpuMs: before === undefined || after === undefined ? undefined : after - before };
}

/** Runs one part on all sides in turn. */
async function measure(
  part: string,
  sides: readonly { side: Side; config: string }[],
  rounds: number,
  say: (line: string) => void,
): Promise<Row[]> {
  const { name, words, memory } = PARTS[part]!;
  const runs = new Map<Side, Run[]>(sides.map(({ side }) => [side, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { side, config } of sides) {
      say(`states: ${part}, round ${round} of ${rounds}, ${side.name}`);
      const one = await runOnce(side, config, words);
      if (round > 0) runs.get(side)!.push(one);
    }
  }
  const control = sides.find(({ side }) => side.runtime === undefined)?.side;
  const rows = (what: string, of: (one: Run) => number, unit: string) =>
    sides.map(({ side }): Row => {
      const value = median(runs.get(side)!.map(of));
      const beside = control === undefined || side === control ? undefined : median(runs.get(control)!.map(of)) / value;
      return {
        name: what,
        value: rounded(value),
        unit,
        note: side.name,
        ...(beside === undefined ? {} : { ratio: beside }),
      };
    });
  return [
    ...rows(name, ({ ms }) => ms, "ms"),
    ...rows(`${name}: processor time`, ({ cpuMs }) => cpuMs ?? NaN, "ms"),
    ...(memory ? rows(`${name}: most memory`, (one) => one.memory / 1e6, "MB") : []),
  ];
}

/** One template as `states_templates.ts` and `states_templates.py` measure it. */
interface TemplateFigure {
  id: string;
  /** Renders a second, compiled before. */
  warm: number;
  /** Renders a second, compiled each time. */
  cold: number;
}

const TEMPLATES = path.join(ROOT, "bench/states_templates.ts");

/** What Jinja2 does with the same templates; with `salt` too: as Salt renders a file. */
function jinja2Figures(runtime: RuntimeName): (TemplateFigure & { salt: number })[] {
  const input = JSON.stringify(runOn(runtime, TEMPLATES, ["--templates"]));
  const script = path.join(ROOT, "bench/states_templates.py");
  const { status, stdout, stderr } = spawnSync(saltPython(), [script], { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`Jinja2: ${stderr}`);
  return JSON.parse(stdout);
}

/** The geometric mean: no template counts for more than another. */
function mean(figures: readonly object[], what: string): number {
  const logs = figures.map((figure) => Math.log((figure as Record<string, number>)[what]!));
  return Math.exp(logs.reduce((sum, one) => sum + one, 0) / logs.length);
}

/** Renders a second of the largest recorded templates, beside Jinja2's in real Salt's environment. */
function templates(options: StatesBenchOptions, hasSalt: boolean): Row[] {
  const runtimes = installed(options.runtimes);
  const theirs = hasSalt ? jinja2Figures(runtimes[0]!) : [];
  const ours = runtimes.map((runtime) => ({
    runtime,
    figures: runOn(runtime, TEMPLATES, ["--json"]) as TemplateFigure[],
  }));
  const rows: Row[] = [];
  for (const [what, kind] of [["warm", "compiled"], ["cold", "new"]] as const) {
    const name = `renders of the largest templates, ${kind}`;
    for (const { runtime, figures } of ours) {
      const value = mean(figures, what);
      const beside = theirs.length === 0 ? {} : { ratio: value / mean(theirs, what) };
      rows.push({ name, value: rounded(value), unit: "renders/s", note: runtime, ...beside });
    }
    if (theirs.length > 0) rows.push({ name, value: rounded(mean(theirs, what)), unit: "renders/s", note: "Jinja2" });
  }
  if (theirs.length > 0) {
    rows.push({
      name: "renders of the largest templates, as Salt renders a file",
      value: rounded(mean(theirs, "salt")),
      unit: "renders/s",
      note: "real Salt 3006",
    });
  }
  return rows;
}

export async function run(options: StatesBenchOptions = {}): Promise<Row[]> {
  const { quick = false, say = () => {}, rounds = quick ? 2 : 5 } = options;
  const wanted = options.only?.split(",") ?? [...Object.keys(PARTS), "templates"];
  buildBundle();
  const real = realSalt();
  if (real === undefined) say(NO_SALT);
  const ours = installed(options.runtimes).map((runtime) => brine(runtime, "bundle"));
  const folder = bedDirectory("states");
  try {
    const sides = [...ours, ...(real === undefined ? [] : [real])]
      .map((side, at) => ({ side, config: writeTree(path.join(folder, String(at))) }));
    const rows: Row[] = [];
    for (const part of Object.keys(PARTS)) {
      if (wanted.includes(part)) rows.push(...await measure(part, sides, rounds, say));
    }
    if (wanted.includes("templates")) rows.push(...templates(options, real !== undefined));
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await runProgram({ rounds: "number", only: "text" }, run);
}
