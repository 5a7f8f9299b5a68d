/** Trees of orchestrations, run by a master with its minions: what they are, and what of an answer is compared. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const TREES = join(import.meta.dirname, "masters");

export interface MasterTree {
  directory: string;
  /** Id → grains. */
  minions: Record<string, Record<string, unknown>>;
  /** Words of `salt-run`. */
  runs: string[][];
}

export interface Answer {
  exitCode: number;
  printed: unknown[];
}

export const masterTrees = (): MasterTree[] =>
  readdirSync(TREES).toSorted().map((name) => {
    const directory = join(TREES, name);
    return { directory, ...JSON.parse(readFileSync(join(directory, "tree.json"), "utf8")) };
  });

/** The master's options of a tree. */
export const masterOptions = ({ directory }: MasterTree) => ({
  id: "here",
  file_roots: { base: [join(directory, "states")] },
  pillar_roots: { base: [join(directory, "pillar")] },
});

const FREE = new Set(["start_time", "duration", "__sls_included_from__", "_stamp"]);

/** A value without what differs in each run: times, jids, and the order in which hosts answer. */
export function settled(value: unknown): unknown {
  if (typeof value === "string") {
    return value.replaceAll(/\b20\d{18}\b/g, "{jid}").replaceAll(/Traceback \(most[^]*/g, "Traceback")
      .replaceAll(/(?<=ran on |minions: |Updating |made to )\w+(?:, \w+)*/g, (hosts) => hosts.split(", ").toSorted().join(", "));
  }
  if (Array.isArray(value)) return value.map(settled);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !FREE.has(key)).map(([key, item]) => [key, settled(item)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => a < b ? -1 : 1));
}

/** The answer of a run from its standard output: each JSON document, and the lines between. */
export function answerOf(exitCode: number, stdout: string): Answer {
  const parts = stdout.split(/^(\{\n[^]*?\n\}|\{\}|\[\n[^]*?\n\])$/m).map((part) => part.trim()).filter((part) => part !== "");
  return { exitCode, printed: parts.map((part) => settled(/^[{[]/.test(part) ? JSON.parse(part) : part)) };
}
