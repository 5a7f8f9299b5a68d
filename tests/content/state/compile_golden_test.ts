/** Trees of SLS files recorded from real Salt: tests/golden-states/README.md. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, test } from "node:test";
import { openHigh } from "../../../src/content/state/compile/high.ts";
import { openStateCompiler } from "../../../src/content/state/compile/open_compiler.ts";
import type { StateCompiler } from "../../../src/content/state/compile/state_compiler.ts";
import { TopFileError } from "../../../src/content/state/compile/top_files.ts";
import { testJob } from "../../support/job_context.ts";
import { localFiles } from "../../support/local_files.ts";
import { ordered } from "../../support/ordered.ts";
import { recordedValue } from "../../support/recorded_values.ts";
import { KNOWN_DIFFERENCES } from "./compile_differences.ts";

type Tree = Record<string, string>;

interface Case {
  id: string;
  mods: string[] | null;
  files: Tree;
  envs?: Record<string, Tree>;
  pillar?: never;
  opts?: Record<string, unknown>;
  exclude?: string;
  top?: never;
  matches?: never;
  no_matches?: boolean;
  high?: never;
  low?: never;
  errors?: string[];
  raised?: string;
}

interface Recording {
  recorded: { grains: never };
  cases: Case[];
}

/** What became of a case, in the words of the recording. */
interface Outcome {
  top?: unknown;
  matches?: unknown;
  no_matches?: boolean;
  high?: unknown;
  low?: unknown;
  errors?: string[];
}

const folder = new URL("../../golden-states/compile/", import.meta.url);
const root = mkdtempSync(join(tmpdir(), "brine-compile-"));
after(() => rmSync(root, { recursive: true }));
let made = 0;

function writeTree(directory: string, tree: Tree): void {
  mkdirSync(directory, { recursive: true });
  for (const [name, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

const plain = (value: unknown) => Object.fromEntries(recordedValue(value as never) as Map<string, unknown>);

/** A compiler over the files of a case, as the recording had it. */
async function compilerOf(
  one: Case,
  { recorded }: Recording,
): Promise<{ compiler: StateCompiler; opts: Record<string, unknown> }> {
  const base = join(root, String(made++));
  writeTree(join(base, "base"), one.files);
  const roots: Record<string, string[]> = { base: [join(base, "base")] };
  for (const [env, tree] of Object.entries(one.envs ?? {})) {
    writeTree(join(base, env), tree);
    roots[env] = [join(base, env)];
  }
  const opts: Record<string, unknown> = {
    ...localFiles(join(base, "base")),
    id: "golden",
    file_roots: roots,
    ...one.opts,
  };
  if (one.mods !== null && !opts.saltenv) opts.saltenv = "base";
  const pillar = one.pillar === undefined ? {} : plain(one.pillar);
  const { context } = await testJob({ opts, grains: plain(recorded.grains), pillar, master: null });
  return { compiler: openStateCompiler(context), opts };
}

/** The argument `exclude` of a call: a list, or names with commas. */
function excludeOf(text: string): unknown[] {
  return text.startsWith("[") ? JSON.parse(text.replaceAll("'", '"')) as unknown[] : text.split(",");
}

/** Does what the recording did, step by step. */
async function outcomeOf(one: Case, recording: Recording): Promise<Outcome> {
  const { compiler, opts } = await compilerOf(one, recording);
  const out: Outcome = {};
  const errors: string[] = [];
  try {
    let matches = new Map<string, readonly unknown[]>([[String(opts.saltenv), one.mods ?? []]]);
    if (one.mods === null) {
      const top = await compiler.top();
      out.top = ordered(top);
      errors.push(...compiler.verifyTop(top));
      matches = await compiler.topMatches(top);
      out.matches = ordered(matches);
      if (matches.size === 0) return { ...out, no_matches: true };
    }
    const exclude = one.exclude === undefined ? [] : excludeOf(one.exclude);
    const { high, errors: rendering } = await compiler.renderHighstate(matches, exclude);
    out.high = ordered(openHigh(high));
    errors.push(...rendering);
    if (errors.length === 0) {
      const compiled = compiler.compile(high);
      errors.push(...compiled.errors);
      if (errors.length === 0) out.low = ordered(compiled.chunks);
    }
  } catch (error) {
    // A top file that cannot be used is the one thing that compiling throws.
    if (!(error instanceof TopFileError)) throw error;
    errors.push(error.message);
  }
  return errors.length === 0 ? out : { ...out, errors };
}

/** Errors as they are compared: of those with a traceback the first line, and of templates the exception below the traceback. */
function comparable(errors: string[] | undefined, wanted: string[] | undefined): unknown {
  return errors?.map((text, at) => {
    if (!wanted?.[at]?.includes("{TRACEBACK}")) return text;
    const [first = "", exception] = text.replace("{TRACEBACK}\n", "").split("\n");
    return first.includes(": Jinja error: ") ? [first, exception] : first;
  });
}

for (const name of readdirSync(folder).sort()) {
  const recording = JSON.parse(readFileSync(new URL(name, folder), "utf8")) as Recording;
  describe(`states of ${name}`, () => {
    for (const one of recording.cases) {
      test(one.id, { skip: KNOWN_DIFFERENCES[one.id] }, async () => {
        const got = await outcomeOf(one, recording);
        const recorded = (value: unknown) => value === undefined ? undefined : ordered(recordedValue(value as never));
        if (one.raised !== undefined) {
          // Salt ends in an exception of Python's; here it is one error that says what is wrong.
          assert.equal(got.low, undefined);
          return assert.equal(got.errors?.length, 1 + (one.errors?.length ?? 0));
        }
        assert.deepEqual(comparable(got.errors, one.errors), comparable(one.errors, one.errors));
        for (const key of ["top", "matches", "high", "low"] as const) {
          assert.deepEqual(got[key], recorded(one[key]), key);
        }
        assert.equal(got.no_matches, one.no_matches);
      });
    }
  });
}
