import type { Attributes } from "./attributes.ts";
import type { Budget } from "./budget.ts";
import type { Keywords } from "./callable.ts";
import { Lazy } from "./lazy.ts";
import type { DataFormat } from "./nodes.ts";
import type { JinjaOptions } from "./options.ts";
import type { SourceFile } from "./source_file.ts";

/** How a statement ended, if it did not run to its end. */
export const BREAK = 1;
export const CONTINUE = 2;
export type Ending = typeof BREAK | typeof CONTINUE | undefined;

/** A statement, ready to run; a promise if something in it has to be waited for. */
export type Execute = (frame: Frame) => Ending | Promise<Ending>;

/** An expression, ready to run; a promise if something in it has to be waited for. */
export type Evaluate = (frame: Frame) => unknown;

/** A filter: its value, and what stands in its parentheses. */
export type Filter = (run: Run, value: unknown, args: readonly unknown[], keywords: Keywords) => unknown;

/** A test: true or false, as Python has it. */
export type Test = (run: Run, value: unknown, args: readonly unknown[], keywords: Keywords) => unknown;

export type { SourceFile };

/** A template that can be run. */
export interface CompiledTemplate {
  /** The name by which it was asked for: names that begin with `./` are relative to its directory. */
  name: string;
  file: SourceFile;
  body: Execute;
  blocks: ReadonlyMap<string, { execute: Execute; required: boolean }>;
  /** About what it takes in memory, with its source. */
  bytes: number;
}

/** Where templates come from, what they can call, and how values are printed. */
export interface Environment {
  options: JinjaOptions;
  attributes: Attributes;
  filters: Readonly<Record<string, Filter>>;
  tests: Readonly<Record<string, Test>>;
  /** Names that every template sees unless it was given others. */
  builtins: ReadonlyMap<string, unknown>;
  /** Names of filters whose value follows from their arguments: on constants they are applied once for a template. */
  steady: ReadonlySet<string>;
  /** The text of a value that is printed. */
  finalize(value: unknown): string;
  /**
   * Loads a template for another.
   *
   * @throws {TemplateNotFound}
   */
  load(run: Run, name: string, from: Unit): CompiledTemplate | Promise<CompiledTemplate>;
  /** Data of a text: `load_yaml` and its like. */
  data(format: DataFormat, text: string): unknown;
  /** A time that a `profile` block took, in milliseconds. */
  profiled(label: string, ms: number): void;
  now(): number;
}

/** A template while it runs, or one of its macros: where an error is said to be. */
export interface Unit {
  template: CompiledTemplate;
  /** The line that is running, from 1. */
  line: number;
}

/** One render: what all its templates share. */
export interface Run {
  environment: Environment;
  budget: Budget;
  /** Names that all templates of this render see. */
  globals: Map<string, unknown>;
  /** Modules that were imported without context, by name. */
  modules: Map<string, unknown>;
}

/** Collects the text of a template, or of a part of it that is captured. */
export class Output {
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
export interface BlockBody {
  execute: Execute;
  required: boolean;
  template: CompiledTemplate;
}

/** A template with those that it extends: its blocks, the most derived first. */
export class Page {
  readonly blocks = new Map<string, BlockBody[]>();
  /** The scope of the template itself: what is set there is seen by its blocks. */
  root: Frame | undefined;
  /** The template that this one extends, once it has said so; what it writes itself is dropped from then on. */
  extended: CompiledTemplate | undefined;

  /** Adds the blocks of a template behind those of the templates that extend it. */
  add(template: CompiledTemplate): void {
    for (const [name, { execute, required }] of template.blocks) {
      const bodies = this.blocks.get(name);
      const body = { execute, required, template };
      if (bodies === undefined) this.blocks.set(name, [body]);
      else bodies.push(body);
    }
  }
}

/** The names of a scope, and where its text goes. */
export class Frame {
  readonly parent: Frame | undefined;
  readonly run: Run;
  readonly unit: Unit;
  readonly page: Page;
  readonly out: Output;
  #names: Map<string, unknown> | undefined;

  constructor(parent: Frame | undefined, run: Run, unit: Unit, page: Page, out: Output, names?: Map<string, unknown>) {
    this.parent = parent;
    this.run = run;
    this.unit = unit;
    this.page = page;
    this.out = out;
    this.#names = names;
  }

  /** A scope within this one. */
  inner(out: Output = this.out): Frame {
    return new Frame(this, this.run, this.unit, this.page, out);
  }

  /** A scope within this one whose text is captured. */
  capture(): Frame {
    return this.inner(new Output(this.run.budget));
  }

  /** True for what the template writes itself, outside of loops, macros and blocks. */
  get isRoot(): boolean {
    return this.page.root === this;
  }

  /** What was set in this scope itself. */
  get names(): ReadonlyMap<string, unknown> {
    return this.#names ??= new Map();
  }

  set(name: string, value: unknown): void {
    (this.#names ??= new Map()).set(name, value);
  }

  /** The value of a name; an undefined if there is none. */
  resolve(name: string): unknown {
    // deno-lint-ignore no-this-alias
    for (let frame: Frame | undefined = this; frame !== undefined; frame = frame.parent) {
      const value = frame.#names?.get(name);
      if (value !== undefined) return value instanceof Lazy ? value.value : value;
    }
    const { globals, environment } = this.run;
    const global = globals.get(name) ?? environment.builtins.get(name);
    if (global === undefined) return environment.attributes.undefinedName(name);
    return global instanceof Lazy ? global.value : global;
  }
}
