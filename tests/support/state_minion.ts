/** A minion without a master that applies one SLS in a directory of its own, as the recordings of real Salt were made. */
import { execFileSync } from "node:child_process";
import { gunzipSync } from "node:zlib";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "../../src/base/async/clock.ts";
import { openFiles } from "../../src/content/fileserver/client.ts";
import type { Context } from "../../src/model/loader/family.ts";
import { hostContext, hostFunctions } from "../../src/model/loader/host_context.ts";
import { createLogger, type LogRecord } from "../../src/base/log.ts";
import { executeJob } from "../../src/host/minion/processes/execute_job.ts";
import { MODULES } from "../../src/plugins/modules/mod.ts";
import { entriesOf, isMap } from "../../src/language/python/values.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { localFiles } from "./local_files.ts";

/** What a path of `tree` is, and what one of the working directory is afterwards. */
export type Node = string | { text: string; mode?: string } | { gzip: true; mode: string } | { dir: string } | {
  link: string;
};

export interface StateCase {
  id: string;
  files?: Record<string, string>;
  files2?: Record<string, string>;
  tree?: Record<string, Node>;
  pillar?: Record<string, unknown>;
  opts?: Record<string, unknown>;
  call?: { fun?: string; args?: unknown[]; kwargs?: Record<string, unknown> };
}

/** What a call came to. */
export interface Applied {
  return: unknown;
  retcode: unknown;
}

/** A directory that a case is run in, with the minion's files beside its working directory. */
export class StateMinion {
  readonly #one: StateCase;
  readonly #top: string;
  readonly #grains: Record<string, unknown>;
  /** What was logged by the last call. */
  records: LogRecord[] = [];

  constructor(one: StateCase, grains: Record<string, unknown>) {
    this.#one = one;
    this.#grains = grains;
    this.#top = mkdtempSync(join(tmpdir(), "brine-states-"));
    for (const name of ["work", "files", "root"]) mkdirSync(join(this.#top, name));
    this.#write("files", { ...one.files, ...one.files2 });
    this.#write("work", one.tree ?? {});
  }

  get work(): string {
    return join(this.#top, "work");
  }

  /** Placeholders and what they stand for. */
  get places(): [string, string][] {
    return [["{W}", this.work], ["{CACHE}", join(this.#top, "files.cache")], ["{FILES}", join(this.#top, "files")], [
      "{ROOT}",
      join(this.#top, "root"),
    ]];
  }

  /** A value with what placeholders stand for, or with placeholders for that. */
  filled<T>(value: T, back = false): T {
    const replace = (text: string) =>
      this.places.reduce((all, [name, path]) => back ? all.replaceAll(path, name) : all.replaceAll(name, path), text);
    const walk = (one: unknown): unknown => {
      if (typeof one === "string") return replace(one);
      if (Array.isArray(one)) return one.map(walk);
      if (one instanceof Map) return new Map([...one].map(([key, item]) => [walk(key), walk(item)]));
      if (!isMap(one)) return one;
      return Object.fromEntries(entriesOf(one).map(([key, item]) => [walk(key), walk(item)]));
    };
    return walk(value) as T;
  }

  #write(folder: string, nodes: Record<string, Node>): void {
    for (const [name, node] of Object.entries(this.filled(nodes))) {
      const path = join(this.#top, folder, name);
      mkdirSync(dirname(path), { recursive: true });
      if (typeof node === "string") writeFileSync(path, node);
      else if ("link" in node) symlinkSync(node.link, path);
      else if ("dir" in node) mkdirSync(path, { recursive: true });
      else if ("text" in node) writeFileSync(path, node.text);
      const mode = typeof node === "string"
        ? undefined
        : "dir" in node
        ? node.dir
        : "mode" in node
        ? node.mode
        : undefined;
      if (mode !== undefined) chmodSync(path, parseInt(mode, 8));
    }
  }

  /** Applies the SLS of the case, or makes its call, with a minion that was started for this. */
  async apply(kwargs: Record<string, unknown> = {}): Promise<Applied> {
    const { environment, setEnv } = (await currentRuntime()).process;
    const before = environment();
    try {
      return await this.#apply(kwargs);
    } finally {
      for (const name of Object.keys(environment())) if (!Object.hasOwn(before, name)) setEnv(name, undefined);
    }
  }

  async #apply(kwargs: Record<string, unknown>): Promise<Applied> {
    const call = { fun: "state.apply", args: ["a"], ...this.#one.call };
    const given = this.filled({ ...call.kwargs, ...kwargs });
    const { context, functions } = await this.#start();
    const arg = [...this.filled(call.args ?? []), { __kwarg__: true, ...given }];
    const jid = "20240101000000000000";
    const load = { fun: call.fun, arg, jid, tgt: "golden", tgt_type: "glob", ret: "", user: "root" };
    const outcome = await executeJob({ functions, context: () => context, load, published: {} });
    return { return: outcome.return, retcode: outcome.retcode };
  }

  async #start() {
    const runtime = { ...await currentRuntime(), clock: systemClock };
    const records: LogRecord[] = this.records = [];
    const log = createLogger((record) => records.push(record), "all");
    const { grains_extra, ...own } = this.filled(this.#one.opts ?? {});
    const opts: Record<string, unknown> = {
      ...localFiles(join(this.#top, "files")),
      root_dir: join(this.#top, "root"),
      conf_file: join(this.#top, "root", "minion"),
      id: "golden",
      renderer: "jinja|yaml",
      state_auto_order: true,
      test: false,
      local: true,
      ...own,
    };
    const functions = hostFunctions(MODULES, opts, () => context);
    const context: Context = hostContext(functions, {
      runtime,
      log,
      opts,
      grains: { ...structuredClone(this.#grains), ...grains_extra as object },
      pillar: this.filled(this.#one.pillar ?? {}),
      jobs: { running: () => [], signal: () => undefined },
      master: undefined,
      files: openFiles({ runtime, log, opts, request: undefined }),
    });
    return { context, functions };
  }

  /** All below the working directory, but what is below a `.git`. */
  tree(): Record<string, Node> {
    const found: Record<string, Node> = {};
    const walk = (folder: string) => {
      for (const name of readdirSync(join(this.work, folder)).sort()) {
        if (name === ".git") continue;
        const path = join(folder, name);
        const full = join(this.work, path);
        const stat = lstatSync(full);
        const mode = (stat.mode & 0o7777).toString(8);
        if (stat.isSymbolicLink()) found[path] = { link: this.filled(readlinkSync(full), true) };
        else if (stat.isDirectory()) {
          found[path] = { dir: mode };
          walk(path);
        } else found[path] = { ...contentOf(readFileSync(full), (text) => this.filled(text, true)), mode } as Node;
      }
    };
    walk("");
    return found;
  }

  [Symbol.dispose](): void {
    try {
      rmSync(this.#top, { recursive: true, force: true });
    } catch {
      // Other users than root cannot empty a directory that they may not write.
      execFileSync("chmod", ["-R", "u+rwx", this.#top]);
      rmSync(this.#top, { recursive: true, force: true });
    }
  }
}

function contentOf(bytes: Uint8Array, filled: (text: string) => string): Record<string, unknown> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    gunzipSync(bytes);
    return { gzip: true };
  }
  return { text: filled(new TextDecoder().decode(bytes)) };
}
