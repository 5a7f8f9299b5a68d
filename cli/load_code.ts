/**
 * Runs the bundle on Node. Node's own cache holds only what is compiled before a file runs: each function was compiled again when it
 * was first called, which took a fifth of a command's time. Here a file of the bundle, an ES module that Bun and Deno read as it is,
 * becomes a script of Node, whose compiled code is stored when the program ends, with all functions that it has called.
 *
 * The build checks what this relies on: no file imports one that imports it, and what a file exports is not assigned to later.
 */
import { builtin } from "../src/runtime/node/builtin.ts";
import { codeDirectory } from "./code_directory.ts";
import { SET_FLAGS, type V8Flag } from "./v8_flags.ts";
import type { Script } from "node:vm";

/** A file of the bundle, as a function that takes what it imports and returns what it exports. */
export interface FileAsScript {
  /** What it imports, as it is written there: `./shared-1.mjs`, `node:http`. */
  imports: string[];
  source: string;
}

/** What a file of the bundle begins with if it loads others later, or needs its own address: a script gets both as parameters. */
export const OWN_NAMES = "const $import=name=>import(name),$url=import.meta.url;";

const IMPORT = /import\s*(?:(?:([\w$]+)\s|\{([^}]*)\})\s*from\s*)?(?:"([^"]*)"|`([^`]*)`);\s*/y;
const FIRST_LINE = /^#!.*\n/;

/** `a as b,c` → `a:b,c` */
const renamed = (names: string) => names.replaceAll(" as ", ":");
/** `a as b,c` → `b:a,c` */
const exported = (names: string) => names.replaceAll(/([\w$]+) as ([\w$]+)/g, "$2:$1");

/**
 * @param text of a file that `scripts/bundle.ts` has made: imports at its beginning, exports at its end
 * @param isProgram true for a program, which may wait for what it loads
 */
export function asScript(text: string, isProgram = false): FileAsScript {
  const imports: string[] = [];
  let names = "";
  let at = FIRST_LINE.exec(text)?.[0].length ?? 0;
  if (text.startsWith(OWN_NAMES, at)) at += OWN_NAMES.length;
  for (;;) {
    IMPORT.lastIndex = at;
    const found = IMPORT.exec(text);
    if (found === null) break;
    at = IMPORT.lastIndex;
    const [, all, some, quoted, ticked] = found;
    if (all !== undefined) names += `const ${all}=$${imports.length}.default??$${imports.length};`;
    if (some !== undefined) names += `const{${renamed(some)}}=$${imports.length};`;
    imports.push(quoted ?? ticked!);
  }
  const end = text.lastIndexOf("export{");
  const exports = end < 0 ? "" : text.slice(end + "export{".length, text.lastIndexOf("}"));
  const body = text.slice(at, end < 0 ? undefined : end);
  const parameters = imports.map((_, index) => `,$${index}`).join("");
  const start = `(${isProgram ? "async " : ""}function($import,$url${parameters}){"use strict";`;
  return { imports, source: `${start}${names}${body}\nreturn{${exported(exports)}}})` };
}

/** Compiled code by name. Its file is a line of JSON with names and sizes, and the code of each in that order. */
export type CompiledCode = Map<string, Uint8Array>;

/** @returns undefined if the file is not whole */
export function readCode(bytes: Uint8Array): CompiledCode | undefined {
  try {
    const line = bytes.indexOf(0x0a);
    const sizes = JSON.parse(new TextDecoder().decode(bytes.subarray(0, line))) as [string, number][];
    const code: CompiledCode = new Map();
    let at = line + 1;
    for (const [name, size] of sizes) code.set(name, bytes.subarray(at, at += size));
    return at === bytes.length ? code : undefined;
  } catch {
    return undefined;
  }
}

export function writeCode(code: CompiledCode): Uint8Array {
  const line = new TextEncoder().encode(`${JSON.stringify([...code].map(([name, { length }]) => [name, length]))}\n`);
  const bytes = new Uint8Array([...code.values()].reduce((sum, { length }) => sum + length, line.length));
  bytes.set(line);
  let at = line.length;
  for (const one of code.values()) {
    bytes.set(one, at);
    at += one.length;
  }
  return bytes;
}

/** A program that stays has started after so long. Its code is stored then: later some of it may have been thrown away. */
const STARTED_MS = 10_000;
/** Code that this Node does not take, or that another build has stored, goes once it is this old: another start may take it. */
const STALE_MS = 86_400_000;

type Exports = Record<string, unknown>;

/** Loads the files of a program, and keeps their compiled code in one file of its own. */
class BundleLoader {
  readonly #fs = builtin("node:fs");
  readonly #path = builtin("node:path");
  readonly #vm = builtin("node:vm");
  readonly #directory: string;
  /** The directory as a URL: `import.meta.url` of a file begins with it. */
  readonly #url: string;
  readonly #program: string;
  /** Where compiled code is kept. V8 takes code for any text of the same length: so the name holds the build. */
  readonly #file: string | undefined;
  #stored: CompiledCode | undefined;
  readonly #loaded = new Map<string, Exports>();
  readonly #scripts = new Map<string, Script>();
  #hasNew = false;
  #isRefused = false;
  #flags: readonly V8Flag[] = [];
  #isStorable = true;

  constructor(directory: string, program: string, build: string) {
    this.#directory = directory;
    this.#url = builtin("node:url").pathToFileURL(directory).href;
    this.#program = program;
    const cache = codeDirectory();
    if (cache === undefined) return;
    this.#file = `${cache}/${program}-${build}-${process.version}-${process.arch}`;
    this.#stored = this.#read();
    process.on("exit", () => this.#save());
    setTimeout(() => {
      this.#save();
      this.#stored = undefined;
    }, STARTED_MS).unref();
  }

  /** Sets flags for what runs. Code is compiled and stored with V8's own, since it is taken only with those that it was stored with. */
  setFlags(flags: readonly V8Flag[]): void {
    const { cachedDataVersionTag } = builtin("node:v8");
    this.#apply("usual");
    const own = cachedDataVersionTag();
    this.#flags = [...this.#flags, ...flags];
    this.#apply("usual");
    // V8's own are others in this release: what is stored now would not be taken.
    if (cachedDataVersionTag() !== own) this.#isStorable = false;
    this.#apply("set");
  }

  #apply(which: "usual" | "set"): void {
    for (const flag of this.#flags) builtin("node:v8").setFlagsFromString(flag[which]);
  }

  /** @param file below the directory of the bundle */
  load(file: string, isProgram = false): Exports {
    const known = this.#loaded.get(file);
    if (known !== undefined) return known;
    const { imports, source } = asScript(this.#fs.readFileSync(`${this.#directory}/${file}`, "utf8"), isProgram);
    const here = this.#path.dirname(file);
    const within = (name: string) => this.#path.join(here, name);
    const needed = imports.map((name) =>
      name.startsWith(".") ? this.load(within(name)) : builtin(name as "node:fs") as object
    );
    // In a later turn, as with a module: what asks for it may itself not have been loaded to its end.
    const later = (name: string) => Promise.resolve().then(() => this.load(within(name)));
    const exports = this.#compile(file, source)(later, `${this.#url}/${file}`, ...needed);
    this.#loaded.set(file, exports);
    return exports;
  }

  #compile(file: string, source: string): (...given: unknown[]) => Exports {
    const { Script, constants } = this.#vm;
    const cachedData = this.#stored?.get(file);
    this.#apply("usual");
    const script = new Script(source, {
      filename: `${this.#directory}/${file}`,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      ...cachedData === undefined ? {} : { cachedData: cachedData as NodeJS.ArrayBufferView & Uint8Array },
    });
    this.#apply("set");
    if (cachedData === undefined) this.#hasNew = true;
    else if (script.cachedDataRejected === true) this.#isRefused = true;
    this.#scripts.set(file, script);
    return script.runInThisContext();
  }

  #isStale(file: string): boolean {
    return Date.now() - this.#fs.statSync(file).mtimeMs >= STALE_MS;
  }

  /** Removes what older builds have stored for this program. */
  #clean(): void {
    const directory = this.#path.dirname(this.#file!);
    // The code of `salt`, and not that of `salt-master`.
    const own = new RegExp(`^${this.#program}-[0-9a-f]+-v`);
    for (const name of this.#fs.readdirSync(directory).filter((name) => own.test(name))) {
      if (this.#isStale(`${directory}/${name}`)) this.#remove(`${directory}/${name}`);
    }
  }

  #remove(file: string): void {
    try {
      this.#fs.rmSync(file, { force: true });
    } catch {
      // A daemon has become another user since its start: nothing of its first user is its own.
    }
  }

  #read(): CompiledCode | undefined {
    try {
      return readCode(this.#fs.readFileSync(this.#file!));
    } catch {
      return undefined;
    }
  }

  /** Stores the code of all files of this run, and of those that an earlier run has stored, if this one has loaded another. */
  #save(): void {
    if (!this.#isStorable || !this.#hasNew && !this.#isRefused) return;
    const [isNew, file] = [this.#hasNew, this.#file!];
    [this.#hasNew, this.#isRefused] = [false, false];
    const temporary = `${file}.${process.pid}`;
    try {
      if (!isNew && !this.#isStale(file)) return;
      this.#apply("usual");
      const code: CompiledCode = new Map(this.#read());
      for (const [name, script] of this.#scripts) code.set(name, script.createCachedData());
      const fd = this.#fs.openSync(temporary, "wx", 0o600);
      try {
        this.#fs.writeFileSync(fd, writeCode(code));
        // V8 does not look whether code is whole.
        this.#fs.fsyncSync(fd);
      } finally {
        this.#fs.closeSync(fd);
      }
      this.#fs.renameSync(temporary, file);
      if (code.size === this.#scripts.size) this.#clean();
    } catch {
      // The disk is full or no longer there, or the directory is that of another user: the next start compiles, too.
      this.#remove(temporary);
    } finally {
      this.#apply("set");
    }
  }
}

/**
 * Runs a program of the bundle.
 *
 * @param directory of the bundle
 * @param program its file there: `salt.mjs`
 * @param build differs between any two bundles
 */
export async function runBundled(directory: string, program: string, build: string): Promise<void> {
  // A process of a job or a part needs other files than the minion whose program it is.
  const [, , word = ""] = process.argv;
  const loader = new BundleLoader(directory, program.replace(/\.mjs$/, word.endsWith("-process") ? word : ""), build);
  (globalThis as { [SET_FLAGS]?: unknown })[SET_FLAGS] = (flags: readonly V8Flag[]) => loader.setFlags(flags);
  await loader.load(program, true);
}
