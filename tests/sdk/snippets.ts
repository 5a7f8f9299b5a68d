/** The TypeScript that our documents show, and a directory to try it in. */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const BIN = path.join(ROOT, "node_modules/.bin");
const environment = { ...process.env, PATH: `${BIN}${path.delimiter}${process.env.PATH}`, NO_COLOR: "1" };

/** Name of an entry module → its file. */
export const ENTRIES: Record<string, string> = Object.fromEntries(
  Object.entries(JSON.parse(readFileSync(path.join(ROOT, "deno.json"), "utf8")).exports as Record<string, string>).map(
    ([name, file]) => [name.replace(/^\./, "brine"), path.join(ROOT, file)],
  ),
);

export interface Snippet {
  /** `README.md:139`. */
  where: string;
  code: string;
}

function below(folder: string, end: string): string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(end)
  )
    .map((name) => path.join(folder, name));
}

/** Every fenced block of TypeScript in our documents and in the comments of the source. */
export function snippets(): Snippet[] {
  const documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...below("docs", ".md")];
  const sources = ["mod.ts", ...below("src", ".ts"), ...below("cli/embed", ".ts")];
  return [...documents, ...sources].flatMap((file) => {
    const text = readFileSync(path.join(ROOT, file), "utf8");
    return [...text.matchAll(/^( \* )?```ts\n([\s\S]*?)^(?: \* )?```$/gm)].map((match) => ({
      where: `${file}:${text.slice(0, match.index).split("\n").length}`,
      code: match[1] === undefined ? match[2]! : match[2]!.replace(/^ \* ?/gm, ""),
    }));
  });
}

/** A temporary directory for a user's project; removed when it is disposed. */
export function emptyDirectory(files: Record<string, string> = {}): Disposable & { path: string } {
  const directory = mkdtempSync(path.join(tmpdir(), "brine-stranger-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(directory, name), text);
  return { path: directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Bytes that a program may print: `deno doc --json` has every function of the tables in it. */
const MOST_OUTPUT = 64 << 20;

/** Runs a program of `node_modules/.bin`; what it printed, where it fails. */
export async function tool(name: string, words: string[], cwd: string): Promise<string> {
  try {
    return (await promisify(execFile)(path.join(BIN, name), words, { cwd, env: environment, maxBuffer: MOST_OUTPUT }))
      .stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${name} ${words.join(" ")}: ${stdout}${stderr}`);
  }
}

/** Why a test of other programs, which are the same whatever runs the test, is left out on all runtimes but Node; false on Node. */
export const OTHER_PROGRAMS: string | false = "Bun" in globalThis || "Deno" in globalThis
  ? "it starts programs that know nothing of this runtime: it runs under Node"
  : false;

/** Compiler settings of a user who is stricter than we are. */
export const STRICT = {
  target: "esnext",
  lib: ["esnext"],
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  noEmit: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  types: ["node"],
  typeRoots: [path.join(ROOT, "node_modules/@types")],
};

export interface Running {
  /** The next line that the program prints; rejects with its stderr if it ends before. */
  line(): Promise<string>;
  /** All that it printed, once it has ended by itself. */
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  kill(): void;
}

/** Runs a script on the runtime of this test. */
export function runScript(file: string, words: readonly string[] = [], env: Record<string, string> = {}): Running {
  const { Deno, Bun } = globalThis as { Deno?: unknown; Bun?: unknown };
  const start = Deno !== undefined
    // The HTTP interface is of packages, whose names need a map.
    ? ["run", "-A", "--quiet", "--no-lock", "--no-check", "--config", path.join(ROOT, "deno.json")]
    : Bun !== undefined
    ? ["run"]
    : ["--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...start, file, ...words], {
    cwd: path.dirname(file),
    env: { ...environment, ...env },
  });
  let [stdout, stderr, taken] = ["", "", 0];
  let wake = () => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    wake();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  let over = false;
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on("close", (code) => {
      over = true;
      wake();
      resolve({ code, stdout, stderr });
    });
  });
  return {
    ended,
    kill: () => void child.kill(),
    async line() {
      for (;;) {
        const at = stdout.indexOf("\n", taken);
        if (at >= 0) {
          const text = stdout.slice(taken, at);
          taken = at + 1;
          return text;
        }
        if (over) throw new Error(`The script has ended: ${stderr}`);
        await new Promise<void>((resolve) => wake = resolve);
      }
    },
  };
}
