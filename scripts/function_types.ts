/**
 * Writes src/client/functions/{execution,runner,wheel}_functions.ts: the names, arguments and returns of the built-in
 * functions as types, from the signatures that the modules declare and from what the compiler infers of their returns. With
 * --check it writes nothing, and fails where they are not current.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type Declared, declaredFunctions, type Family } from "./function_types/declared_functions.ts";
import { RETURN_TYPES } from "./function_types/known_returns.ts";
import { returnTypes } from "./function_types/return_types.ts";
import { refuseDeadRows } from "./function_types/signature_text.ts";
import { tableText } from "./function_types/table.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");

const TABLES: Record<Family, { name: string; about: string }> = {
  execution: {
    name: "ExecutionFunctions",
    about: `/**
 * The built-in execution functions, each with its signature in Python's notation and its return as it is read from the
 * master on this host. A return is \`unknown\` where the code does not say more of it.
 *
 * Add custom functions by declaration merging: see docs/sdk-types.md.
 */`,
  },
  runner: {
    name: "RunnerFunctions",
    about: `/**
 * The built-in runners: what each takes and what it returns, in the form of {@link ExecutionFunctions}. Add runners of your
 * own by declaration merging.
 */`,
  },
  wheel: {
    name: "WheelFunctions",
    about:
      `/** The built-in wheel functions: what each takes and what it returns, in the form of {@link ExecutionFunctions}. */`,
  },
};

/** The files by their path from the root of the repository, each with its text. */
async function functionTables(): Promise<Map<string, string>> {
  const families = Object.keys(TABLES) as Family[];
  const declared = new Map<Family, Declared[]>();
  for (const family of families) declared.set(family, await declaredFunctions(ROOT, family));
  const sources = new Map([...declared.values()].flat().map(({ source }) => [source.path, source]));
  const inferred = returnTypes(ROOT, [...sources.values()]);
  const known = new Set<string>();
  const returnOf = (family: Family) => ({ name, fun, source }: Declared): string => {
    const type = inferred.get(sources.get(source.path)!)?.get(fun) ?? "unknown";
    const said = RETURN_TYPES[family]?.get(name);
    if (said === undefined) return type;
    known.add(`${family} ${name}`);
    return said;
  };
  const files = new Map(families.map((family) => {
    const { name, about } = TABLES[family];
    return [
      `src/client/functions/${family}_functions.ts`,
      tableText(name, about, declared.get(family)!, returnOf(family)),
    ];
  }));
  refuseDeadRows();
  const dead = families.flatMap((family) => [...RETURN_TYPES[family].keys()].map((name) => `${family} ${name}`))
    .filter((row) => !known.has(row));
  if (dead.length > 0) {
    throw new Error(`known_returns.ts has rows for functions that are not there: ${dead.join(", ")}`);
  }
  return files;
}

/** The first line of a written file that is not what it would be now; undefined if it is current. */
function difference(path: string, text: string): string | undefined {
  const [ours, written] = [text.split("\n"), readFileSync(`${ROOT}/${path}`, "utf8").split("\n")];
  const at = ours.findIndex((line, index) => line !== written[index]);
  if (at >= 0) return `${path}:${at + 1} is\n${written[at]}\nand would be\n${ours[at]}\n`;
  return ours.length === written.length ? undefined : `${path} has more lines than it would have\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes("--check");
  for (const [path, text] of await functionTables()) {
    if (check) {
      const different = difference(path, text);
      if (different === undefined) continue;
      process.stderr.write(`${different}npm run -s types:functions writes it anew\n`);
      process.exitCode = 1;
    } else {
      writeFileSync(`${ROOT}/${path}`, text);
      process.stdout.write(`${path}: ${text.split("\n").length} lines\n`);
    }
  }
}
