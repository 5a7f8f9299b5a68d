import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { DAEMON_FLAGS, MASTER_FLAGS, ROOT, runtimeCommand, type RuntimeName, which } from "./runtimes.ts";
import { SALT_HOME, saltProgram } from "./salt_release.ts";

/** `source`: the TypeScript of the tree; `bundle`: the result of `npm run build:bundle`, as releases ship it. */
export type Form = "source" | "bundle";

/** One of the implementations that are compared. */
export interface Side {
  name: string;
  /** The words that start a program: `side.command("salt-master")`. */
  command(program: string): string[];
  runtime?: RuntimeName;
}

/**
 * The same side, run from a copy of the runtime in `folder`. All processes that map a file share its pages; with a copy, a
 * daemon is measured as on a machine where nothing else uses that runtime.
 */
export function fromCopy(side: Side, folder: string): Side {
  if (side.runtime === undefined) return side;
  return {
    ...side,
    command(program) {
      const [runtime, ...words] = side.command(program);
      const copy = path.join(folder, `${side.runtime}-${program}`);
      mkdirSync(folder, { recursive: true });
      if (!existsSync(copy)) copyFileSync(runtime!, copy);
      return [copy, ...words];
    },
  };
}

/** The same side, started with flags of its runtime. */
export function withFlags(side: Side, flags: readonly string[]): Side {
  const { runtime } = side;
  if (runtime === undefined || flags.length === 0) return side;
  const words = runtimeCommand(runtime)!;
  const flagged = runtimeCommand(runtime, flags)!;
  return {
    ...side,
    command(program) {
      const own = flagsOf(program, runtime);
      return [...flagged, ...own, ...side.command(program).slice(words.length + own.length)];
    },
  };
}

/** The flags with which a program is to be run: those of its first line. */
function flagsOf(program: string, runtime: RuntimeName): readonly string[] {
  if (program === "salt") return [];
  return program === "salt-master" ? MASTER_FLAGS[runtime] : DAEMON_FLAGS[runtime];
}

/** Brine on a runtime. */
export function brine(runtime: RuntimeName, form: Form): Side {
  if (runtimeCommand(runtime) === undefined) throw new Error(`${runtime} is not installed`);
  const file = (program: string) =>
    form === "source" ? path.join(ROOT, "cli", `${program}.ts`) : path.join(ROOT, "dist/bin", `${program}.cjs`);
  return {
    name: `${runtime}, ${form}`,
    runtime,
    command: (program) => [...runtimeCommand(runtime, flagsOf(program, runtime))!, file(program)],
  };
}

/** The result of `npm run compile`. */
export const ONE_FILE = path.join(ROOT, "dist/compile", `brine-${process.platform}-${process.arch}`);

/** The one file; each daemon from a copy of it in a folder. */
export function oneFile(folder: string): Side {
  return {
    name: "one file",
    command: (program) => {
      if (!/-(?:master|minion)$/.test(program)) return [ONE_FILE, program];
      const copy = path.join(folder, program, "brine");
      mkdirSync(path.dirname(copy), { recursive: true });
      if (!existsSync(copy)) copyFileSync(ONE_FILE, copy);
      return [copy, program];
    },
  };
}

/** The interpreter of a real release. */
export function saltPython(release = "3006"): string {
  return saltProgram(release, "python");
}

/** Real Salt, from a virtual environment outside the tree; undefined if it is not there. */
export function realSalt(release = "3006"): Side | undefined {
  if (!existsSync(saltProgram(release, "salt-minion"))) return undefined;
  return { name: `real Salt ${release}`, command: (program) => [saltProgram(release, program)] };
}

/** What a table says instead of figures of real Salt. */
export const NO_SALT =
  `real Salt 3006 is not installed in ${SALT_HOME}/3006 (python3 -m venv, pip install salt==3006.*)`;

/** Builds the bundle that releases ship. */
export function buildBundle(): void {
  const node = which("node") ?? process.execPath;
  const { status, stderr } = spawnSync(node, [path.join(ROOT, "scripts/bundle.ts")], { encoding: "utf8" });
  if (status !== 0) throw new Error(`Cannot build the bundle: ${stderr}`);
}
