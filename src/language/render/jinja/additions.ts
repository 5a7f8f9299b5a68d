import { type Filter, type Keywords, NativeFunction, type Test } from "../../jinja/mod.ts";

/** What modules can add to templates. */
export const ADDITION_KINDS = ["filter", "test", "global"] as const;
export type AdditionKind = typeof ADDITION_KINDS[number];

/** The filters, tests and globals that the modules of a host add to its templates. */
export interface TemplateAdditions {
  readonly names: Readonly<Record<AdditionKind, ReadonlySet<string>>>;
  call(kind: AdditionKind, name: string, args: readonly unknown[], keywords: Keywords): Promise<unknown>;
}

/** A text that differs between additions of other names. */
export function additionsKey(additions: TemplateAdditions | undefined): string {
  if (additions === undefined) return "";
  return JSON.stringify(ADDITION_KINDS.map((kind) => [...additions.names[kind]].sort()));
}

/** Filters or tests that call the additions of the template that runs. A compiled template keeps them for other jobs. */
function entriesOfKind<T extends Filter | Test>(kind: "filter" | "test", names: Iterable<string>): Record<string, T> {
  const call = (name: string): Filter => (run, value, args, keywords) =>
    run.environment.added!.call(kind, name, [value, ...args], keywords);
  return Object.fromEntries(Array.from(names, (name): [string, T] => [name, call(name) as T]));
}

interface Tables {
  filters: Readonly<Record<string, Filter>>;
  tests: Readonly<Record<string, Test>>;
  steady: ReadonlySet<string>;
}

/**
 * The tables of a host with its additions.
 *
 * @param isFixed true for the names that additions do not replace
 */
export function withAdditions(
  { filters, tests, steady }: Tables,
  { names }: TemplateAdditions,
  isFixed: (kind: "filter" | "test", name: string) => boolean,
): Tables {
  const allowed = (kind: "filter" | "test") => [...names[kind]].filter((name) => !isFixed(kind, name));
  const added = entriesOfKind<Filter>("filter", allowed("filter"));
  return {
    filters: { ...filters, ...added },
    tests: { ...tests, ...entriesOfKind<Test>("test", allowed("test")) },
    steady: new Set([...steady].filter((name) => !Object.hasOwn(added, name))),
  };
}

/** The functions that templates see by their names. */
export function addedGlobals(additions: TemplateAdditions): [string, NativeFunction][] {
  return Array.from(additions.names.global, (name) => [
    name,
    new NativeFunction(name, (args, keywords) => additions.call("global", name, args, keywords)),
  ]);
}
