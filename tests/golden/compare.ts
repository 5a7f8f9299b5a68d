/** Whether what a program printed is what was recorded. */
import { existsSync } from "node:fs";
import { SALT_COMPAT, VERSION } from "../../src/base/version.ts";
import type { ProgramRun } from "../support/program.ts";
import type { Golden } from "./bed.ts";

/** What placeholders of the recorded texts stand for. */
const PLACEHOLDERS: Record<string, string> = {
  CODENAME: "(?:\\w+|\\{CODENAME\\})",
  DUR: "[\\d.]+",
  ENV: "\\{.*?\\}",
  HELP: "[^]*",
  JID: "\\d{20}",
  JIDTIME: "\\d{4}, \\w{3} \\d\\d [\\d:.]+",
  MASTER_ID: "[\\w.-]+_master",
  PID: "\\d+",
  SHA256_FINGERPRINT: "[0-9a-f]{2}(?::[0-9a-f]{2}){31}",
  TIME: "\\d\\d:\\d\\d:\\d\\d\\.\\d{6}",
  TIMESTAMP: "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+",
  TRACEBACK: "[^]*?",
  // Salt's where a minion is asked for it, and our own where a program prints it.
  VERSION: `(?:${[SALT_COMPAT, VERSION].join("|").replaceAll(".", "\\.")}|\\{VERSION\\})`,
};

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A regular expression for a recorded text. */
function pattern(text: string, values: Record<string, string>): RegExp {
  const parts = text.split(/\{([A-Z0-9_]+)\}/).map((part, at) =>
    at % 2 === 0
      ? literal(part)
      : values[part] !== undefined
      ? literal(values[part])
      : PLACEHOLDERS[part] ?? literal(`{${part}}`)
  );
  // The recording has one blank in front of a number that is padded; how long a run took decides the unit.
  return new RegExp(`^${parts.join("").replace(/Total run time: (\S+) m?s/g, "Total run time: +$1 m?s")}$`);
}

/** Pieces that begin with a line which is not indented: one for each minion, most often. */
const blocks = (text: string) => text.split(/^(?=\S)/m);

/** One after the other. */
const documents = (text: string) => text.split(/^(?=\{)/m);

/** True if each piece is one of those wanted, whatever their order. */
function samePieces(wanted: RegExp[], got: string[]): boolean {
  if (wanted.length !== got.length) return false;
  const open = [...wanted];
  return got.every((piece) => {
    const at = open.findIndex((one) => one.test(piece));
    if (at >= 0) open.splice(at, 1);
    return at >= 0;
  });
}

/** A value with its maps in the order of their keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

function sameJson(wanted: unknown, got: unknown): boolean {
  return JSON.stringify(sorted(wanted)) === JSON.stringify(sorted(got));
}

/** JSON with its maps in the order of their keys; any other text as it is. Numbers may be placeholders. */
function inKeyOrder(text: string): string {
  if (!text.startsWith("{\n")) return text;
  return JSON.stringify(sorted(JSON.parse(text.replace(/: (\{[A-Z_]+\}|[\d.]+)(?=,?$)/gm, ': "$1"'))), null, 4);
}

const swapped = (text: string) => text.replace(/alpha|beta/g, (id) => id === "alpha" ? "beta" : "alpha");

/** Names of minions in the order in which they happened to answer. */
function inNameOrder(text: string): string {
  return text.replace(/(?<= ran on )[\w.-]+(?:, [\w.-]+)+(?=\.(?:$|"))/gm, (names) => names.split(", ").sort().join(", "));
}

/** True if stdout is as recorded, but for what `order` leaves open. */
export function sameOutput(golden: Golden, wanted: string, got: string, values: Record<string, string>): boolean {
  // A job id that was not asked for is another one each time.
  const text = wanted.replace(/\b20\d{18}\b/g, (jid) => golden.argv.some((word) => word.includes(jid)) ? jid : "{JID}")
    // How long a state took, in a table.
    .replace(/(?<= \| +)\d\.\d{4}(?= \|)/g, "{DUR}");
  const is = (one: string, other: string) => pattern(inNameOrder(one), values).test(inNameOrder(other));
  switch (golden.order) {
    case "json":
      return sameJson(JSON.parse(text), JSON.parse(got));
    case "any order of minion ids inside comment and ret":
      return is(inKeyOrder(text), inKeyOrder(got));
    case "batch":
      if (is(text, got) || is(swapped(text), got)) return true;
      return samePieces(blocks(text).map((block) => pattern(block, values)), blocks(got));
    case "any-line":
      return samePieces(text.split("\n").map((line) => pattern(line, values)), got.split("\n"));
    case "json-docs":
      return samePieces(documents(text).map((one) => pattern(one, values)), documents(got));
    case "minions":
      return samePieces(blocks(text).map((block) => pattern(block, values)), blocks(got));
    default:
      return is(text, got);
  }
}

const NO_CONFIGURATION = "WARNING: CONFIG '/etc/salt' directory does not exist.\n";

/** What a program says on stderr beside its log, whose words are its own; with a failure goes where it came from. */
function withoutLog(text: string): string {
  return text.replace(/^\[[A-Z]+ *\] (?:.*:\s*\n[^]*|.* was not found in SLS .*\nReason: .*\n\n?|.*\n)/gm, "");
}

/** True if stderr is as recorded, but for the log. */
export function sameComplaints(wanted: string, got: string, values: Record<string, string>): boolean {
  // The runs were recorded on a host without Salt.
  const here = existsSync("/etc/salt") ? wanted.replaceAll(NO_CONFIGURATION, "") : wanted;
  // An exception that nobody handled is in Salt's log, and Python prints it once more: `salt-call` does, too.
  const printed = here.replace(/^\[ERROR *\] .*exception handler:\n[^]*?\nTraceback[^]*?\n(?=Traceback)/m, "");
  return [here, printed].some((one) => pattern(withoutLog(one), values).test(withoutLog(got)));
}

/** Both sides of a difference, for people. */
export function difference(golden: Golden, wanted: string, run: ProgramRun): string {
  return `${golden.program} ${golden.argv.join(" ")}\n--- recorded (exit ${golden.exit_code})\n${wanted}${golden.stderr}` +
    `--- here (exit ${run.exitCode})\n${run.stdout}${run.stderr}`;
}
