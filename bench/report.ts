/**
 * Makes the tables of README and of docs/internals/performance.md, and the plot beside it, of raw figures: machine, versions, medians,
 * ratios, and whether each target is met.
 *
 * Run: node bench/report.ts [--raw docs/internals/figures.jsonl] [--run fleet,scale,isolation [--runtimes node,bun]] [--document docs/internals/performance.md] [--plot docs/internals/scale.svg]
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { ROOT } from "./bed/runtimes.ts";
import { type Panel, plot, type Series } from "./plot.ts";
import { quickReport } from "./quick_table.ts";
import { type RawRow, readRaw } from "./raw.ts";
import { median, rounded } from "./rows.ts";

/** A promise about a figure. */
interface Target {
  name: RegExp;
  note?: RegExp;
  of: "value" | "ratio";
  most?: number;
  least?: number;
}

/** What is promised for ten thousand minions on two cores, with the swarm on the same machine. */
export const TARGETS: readonly Target[] = [
  { name: /^fleet: the master has answered all sign-ins$/, note: /, 10000 minions/, of: "value", most: 60 },
  { name: /^fleet: '\*' test\.ping(, processor time.*)?$/, note: /^bun.* 10000 minions/, of: "value", most: 4 },
  { name: /^fleet: '\*' test\.ping(, processor time.*)?$/, note: /^(node|deno).* 10000 minions/, of: "value", most: 6 },
  { name: /^fleet: memory/, note: /^bun.* 10000 minions/, of: "value", most: 400 },
  { name: /^fleet: memory/, note: /^(node|deno).* 10000 minions/, of: "value", most: 600 },
  // A tenth is the noise of such a figure.
  { name: /^scale: /, note: /^(node|bun|deno)/, of: "ratio", least: 0.9 },
  { name: /^isolation: .* p99$/, note: /^(node|bun|deno).*, with /, of: "ratio", least: 1 / 1.1 },
];

/** One line of the table. */
export interface ReportLine {
  name: string;
  note: string;
  unit: string;
  value: number;
  ratio: number | undefined;
  /** Times that it was measured. */
  runs: number;
  target: string;
  met: boolean | undefined;
}

/** The medians of figures with the same name and note, in their first order, each held against its target. */
export function reportLines(rows: readonly RawRow[]): ReportLine[] {
  const groups = new Map<string, RawRow[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.name, row.note ?? "", row.unit]);
    groups.set(key, [...groups.get(key) ?? [], row]);
  }
  return [...groups.values()].map((group) => {
    const [{ name, note = "", unit }] = group as [RawRow];
    const value = rounded(median(group.map((row) => row.value)));
    const ratios = group.flatMap((row) => row.ratio === undefined ? [] : [row.ratio]);
    const ratio = ratios.length === 0 ? undefined : rounded(median(ratios));
    return { name, note, unit, value, ratio, runs: group.length, ...judged({ name, note, unit, value, ratio }) };
  });
}

function judged(line: Omit<ReportLine, "runs" | "target" | "met">): Pick<ReportLine, "target" | "met"> {
  const target = TARGETS.find(({ name, note }) => name.test(line.name) && (note?.test(line.note) ?? true));
  const found = target === undefined ? undefined : line[target.of];
  if (target === undefined || found === undefined) return { target: "", met: undefined };
  const unit = target.of === "ratio" ? " x" : ` ${line.unit}`;
  return target.most !== undefined
    ? { target: `at most ${target.most}${unit}`, met: found <= target.most }
    : { target: `at least ${rounded(target.least!)}${unit}`, met: found >= target.least! };
}

/** The table as markdown, below what it was measured on. */
export function reportTable(rows: readonly RawRow[]): string {
  const several = (pick: (row: RawRow) => string) => [...new Set(rows.map(pick))].join("; ");
  const loads = rows.map(({ load }) => load);
  const versions = several((row) =>
    Object.entries(row.versions).map(([name, version]) => `${name} ${version}`).join(", ")
  );
  const lines = reportLines(rows).map(({ name, note, unit, value, ratio, runs, target, met }) =>
    `| ${name} | ${note} | ${value.toLocaleString("en")} ${unit} | ${ratio ?? ""} | ${runs} | ${target} | ${
      met === undefined ? "" : met ? "yes" : "**no**"
    } |`
  );
  return [
    `Machine: ${several((row) => row.machine)}; load average ${Math.min(...loads)} to ${
      Math.max(...loads)
    }. Versions: ${versions}.`,
    "",
    "| what | of | median | ratio | runs | target | met |",
    "|---|---|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}

/** The panels of `scale.ts`: costs by the number of minions, a line for each side. */
export function scalePanels(rows: readonly RawRow[]): Panel[] {
  const panels = new Map<string, Map<string, [number, number][]>>();
  for (const { name, note = "", unit, value } of reportLines(rows)) {
    const [, side, minions] = /^(.*), (\d+) minions$/.exec(note) ?? [];
    // The axis goes by powers of ten.
    if (!name.startsWith("scale: ") || side === undefined || !(value > 0)) continue;
    const title = `${name.slice("scale: ".length)}, ${unit}`;
    const panel = panels.get(title) ?? new Map<string, [number, number][]>();
    panels.set(title, panel);
    panel.set(side, [...panel.get(side) ?? [], [Number(minions), value]]);
  }
  return [...panels].map(([title, sides]) => ({
    title,
    series: [...sides].map(([name, points]): Series => ({ name, points: points.sort(([a], [b]) => a - b) })),
  }));
}

const END = "<!-- /figures -->";

/**
 * Puts the table of an npm script between its two marks in a document.
 *
 * @throws {SyntaxError} if the document does not have them
 */
export function withFigures(document: string, script: string, table: string): string {
  const mark = `<!-- figures: npm run ${script} -->`;
  const begin = document.indexOf(mark);
  const end = document.indexOf(END, begin);
  if (begin < 0 || end < begin) {
    throw new SyntaxError(`The document has no place for figures: expected ${mark} and ${END}`);
  }
  return `${document.slice(0, begin + mark.length)}\n\n${table}\n\n${document.slice(end)}`;
}

/** The tables of a document, made anew of raw figures: those that it has marks for. */
export function allFigures(document: string, all: readonly RawRow[]): string {
  const tables: [script: string, table: () => string][] = [
    ["bench:report", () => reportTable(all.filter(({ bench }) => bench !== "quick"))],
    ["bench:quick", () => quickReport(all)],
  ];
  return tables.reduce(
    (text, [script, table]) => text.includes(`: npm run ${script} `) ? withFigures(text, script, table()) : text,
    document,
  );
}

function main(): void {
  const { values } = parseArgs({
    options: {
      raw: { type: "string", default: `${ROOT}/docs/internals/figures.jsonl` },
      document: { type: "string", default: `${ROOT}/docs/internals/performance.md` },
      plot: { type: "string", default: `${ROOT}/docs/internals/scale.svg` },
      /** Parts that are measured first; their figures are appended. */
      run: { type: "string" },
      runtimes: { type: "string" },
    },
  });
  if (values.run !== undefined) {
    const words = ["--only", values.run, "--raw", path.resolve(values.raw)];
    if (values.runtimes !== undefined) words.push("--runtimes", values.runtimes);
    const { status } = spawnSync(process.execPath, [`${ROOT}/bench/main.ts`, ...words], { stdio: "inherit" });
    if (status !== 0) process.exit(status ?? 1);
  }
  const rows = readRaw(values.raw);
  for (const file of [values.document, `${ROOT}/README.md`]) {
    writeFileSync(file, allFigures(readFileSync(file, "utf8"), rows));
  }
  const panels = scalePanels(rows);
  if (panels.length > 0) writeFileSync(values.plot, plot(panels));
  console.log(reportTable(rows));
}

if (import.meta.main) main();
