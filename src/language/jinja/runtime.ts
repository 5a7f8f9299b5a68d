import type { Attributes } from "./attributes.ts";
import type { Budget } from "./budget.ts";
import type { Keywords } from "./callable.ts";
import { Lazy } from "./lazy.ts";
import type { DataFormat } from "./nodes.ts";
import type { JinjaOptions } from "./options.ts";
import type { SourceFile } from "./source_file.ts";

/** The ending of a statement that did not run to its end. */
export const BREAK = 1;
export const CONTINUE = 2;
export type Ending = typeof BREAK | typeof CONTINUE | undefined;

/** A compiled statement; returns a promise if it has to wait. */
export type Execute = (frame: Frame) => Ending | Promise<Ending>;

/** A compiled expression; returns a promise if it has to wait. */
export type Evaluate = (frame: Frame) => unknown;

export type Filter = (run: Run, value: unknown, args: readonly unknown[], keywords: Keywords) => unknown;

/** A test; the result is true or false by Python's rules. */
export type Test = (run: Run, value: unknown, args: readonly unknown[], keywords: Keywords) => unknown;

export type { SourceFile };

export interface CompiledTemplate {
  /** The name by which the template was loaded: names that begin with `./` are relative to its directory. */
  name: string;
  file: SourceFile;
  body: Execute;
  blocks: ReadonlyMap<string, { execute: Execute; required: boolean }>;
  /** The approximate memory of the template with its source, in bytes. */
  bytes: number;
}

/** The environment of templates: how they are loaded, what they can call, and how values are printed. */
export interface JinjaEnvironment {
  options: JinjaOptions;
  attributes: Attributes;
  filters: Readonly<Record<string, Filter>>;
  tests: Readonly<Record<string, Test>>;
  /** Names that every template sees unless it was given other values for them. */
  builtins: ReadonlyMap<string, unknown>;
  /** The filters whose result depends only on their arguments: on constants they are applied once for a template. */
  steady: ReadonlySet<string>;
  /** Filters and tests whose results are promises, and how they are called. @default none */
  added?: {
    has(kind: "filter" | "test", name: string): boolean;
    call(kind: "filter" | "test", name: string, args: readonly unknown[], keywords: Keywords): Promise<unknown>;
  } | undefined;
  /** Returns the text of a printed value. */
  finalize(value: unknown): string;
  /** Loads a template for another one. @throws {TemplateNotFound} */
  load(run: Run, name: string, from: Unit): CompiledTemplate | Promise<CompiledTemplate>;
  /** Reads a text as data, for `load_yaml` and similar statements. */
  data(format: DataFormat, text: string): unknown;
  /** Reports the time of a `profile` block, in milliseconds. */
  profiled(label: string, ms: number): void;
  now(): number;
}

/** A running template or macro, to which errors are attributed. */
export interface Unit {
  template: CompiledTemplate;
  /** The line that is running, from 1. */
  line: number;
}

/** One render: the state that all its templates share. */
export interface Run {
  environment: JinjaEnvironment;
  budget: Budget;
  /** Names that the templates see that begin now; replaced, never changed: those that run keep theirs. */
  globals: ReadonlyMap<string, unknown>;
  /** Templates that were loaded, by the names that were asked for: as in Jinja, each is loaded once. */
  templates: Map<string, CompiledTemplate>;
  /** Modules that were imported without context. */
  modules: Map<CompiledTemplate, unknown>;
}

/** Collects the text of a template, or of a part of it that is captured. */
export class RenderOutput {
  text = "";
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  write(text: string): void {
    this.#budget.write(text.length);
    this.text += text;
  }
}

/** A block of a template, or of one that it extends. */
interface BlockBody {
  execute: Execute;
  required: boolean;
  template: CompiledTemplate;
}

/** A template with those that it extends: its blocks, the most derived first. */
export class Page {
  readonly blocks = new Map<string, BlockBody[]>();
  /** The scope of the template itself, whose names its blocks see. */
  root: Frame | undefined;
  /** The extended template, once `extends` has run; from then on text outside of blocks is dropped. */
  extended: CompiledTemplate | undefined;

  /** Adds the blocks of a template after those of the templates that extend it. */
  add(template: CompiledTemplate): void {
    for (const [name, { execute, required }] of template.blocks) {
      const bodies = this.blocks.get(name);
      const body = { execute, required, template };
      if (bodies === undefined) this.blocks.set(name, [body]);
      else bodies.push(body);
    }
  }
}

/** The names of a scope, and the output for its text. */
export class Frame {
  readonly parent: Frame | undefined;
  readonly run: Run;
  readonly unit: Unit;
  readonly page: Page;
  readonly out: RenderOutput;
  readonly #globals: ReadonlyMap<string, unknown>;
  #names: Map<string, unknown> | undefined;

  constructor(
    parent: Frame | undefined,
    run: Run,
    unit: Unit,
    page: Page,
    out: RenderOutput,
    names?: Map<string, unknown>,
  ) {
    this.parent = parent;
    this.run = run;
    this.unit = unit;
    this.page = page;
    this.out = out;
    this.#globals = parent === undefined ? run.globals : parent.#globals;
    this.#names = names;
  }

  /** A scope within this one. */
  inner(out: RenderOutput = this.out): Frame {
    return new Frame(this, this.run, this.unit, this.page, out);
  }

  /** A scope within this one whose text is captured. */
  capture(): Frame {
    return this.inner(new RenderOutput(this.run.budget));
  }

  /** True for the template's own scope, outside of loops, macros and blocks. */
  get isRoot(): boolean {
    return this.page.root === this;
  }

  /** The names that were set in this scope itself. */
  get names(): ReadonlyMap<string, unknown> {
    return this.#names ??= new Map();
  }

  set(name: string, value: unknown): void {
    (this.#names ??= new Map()).set(name, value);
  }

  /** The value of a name; an {@link Undefined} if there is none. */
  resolve(name: string): unknown {
    // deno-lint-ignore no-this-alias
    for (let frame: Frame | undefined = this; frame !== undefined; frame = frame.parent) {
      const value = frame.#names?.get(name);
      if (value !== undefined) return value instanceof Lazy ? value.value : value;
    }
    const { environment } = this.run;
    const global = this.#globals.get(name) ?? environment.builtins.get(name);
    if (global === undefined) return environment.attributes.undefinedName(name);
    return global instanceof Lazy ? global.value : global;
  }
}
