/** Pillar trees as the recorded cases have them, compiled by Brine. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock } from "../../src/base/async/clock.ts";
import { MASTER_OPTIONS } from "../../src/model/config/master_opts.ts";
import { createLogger, type LogRecord } from "../../src/base/log.ts";
import { PillarCompiler, type PillarRequest } from "../../src/content/pillar/compiler.ts";
import { EXT_PILLARS } from "../../src/plugins/pillar/mod.ts";
import type { AnyMap } from "../../src/language/python/values.ts";
import { createRenderers } from "../../src/language/render/renderers.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

/** One tree and one request. */
export interface PillarCase {
  name: string;
  /** Below the directory of the case: path → text. */
  files: Record<string, string>;
  /** `{ROOT}` is that directory. */
  opts?: Record<string, unknown> | undefined;
  grains?: Record<string, unknown> | undefined;
  request?: Partial<Omit<PillarRequest, "grains">>;
}

/** The value with one text in the place of another, in keys as well. */
export function replaced<T>(value: T, from: string, to: string): T {
  if (value === undefined) return value;
  return JSON.parse(JSON.stringify(value).replaceAll(from, to)) as T;
}

export interface PillarBed extends Disposable {
  root: string;
  runtime: Runtime;
  records: LogRecord[];
  compiler: PillarCompiler;
  write(files: Record<string, string>): void;
  compile(request?: PillarCase["request"]): Promise<AnyMap>;
}

/** The files of a case in a directory of their own, and a compiler over them. */
export async function pillarBed(given: Omit<PillarCase, "name" | "request">): Promise<PillarBed> {
  const root = mkdtempSync(path.join(tmpdir(), "brine-pillar-"));
  const write = (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), text);
    }
  };
  write(given.files);
  const runtime = { ...await currentRuntime(), clock: systemClock };
  const records: LogRecord[] = [];
  const compiler = new PillarCompiler({
    runtime,
    log: createLogger((record) => records.push(record), "all"),
    opts: {
      ...Object.fromEntries(Object.entries(MASTER_OPTIONS).map(([name, spec]) => [name, spec.default])),
      pillar_roots: { base: [`${root}/base`] },
      cachedir: `${root}/cache`,
      ...replaced(given.opts, "{ROOT}", root),
    },
    renderers: createRenderers(runtime),
    extPillars: EXT_PILLARS,
  });
  return {
    root,
    runtime,
    records,
    compiler,
    write,
    compile: (request) => {
      const { id = "web1", ...more } = replaced(request, "{ROOT}", root) ?? {};
      return compiler.compile({ id, grains: { id, ...given.grains }, ...more });
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
