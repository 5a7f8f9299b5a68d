import type { Rule } from "./rules.ts";

/** One row of an option table: all that is to be said of an option. */
export interface OptionSpec<T> {
  type: "bool" | "number" | "text" | "list" | "map" | "any";
  /** Undefined for an option that is absent unless a file sets it. */
  default: T;
  /** Of a map: a list of maps is taken, too, and their entries are joined. @default false */
  listed?: boolean;
  /** What it does here, in one sentence. */
  doc: string;
  /** How the effect differs from Salt's, for an option that works in part. @default none: it works */
  differs?: string;
  /** What its value may be beyond its type. @default for numbers: at least 0, unless the default is less */
  rule?: Rule;
  /** A daemon can do without it: it warns of a wrong value, and uses the default. @default false */
  mild?: boolean;
  /** A path that is put below `root_dir`. @default false */
  path?: boolean;
  /** A master takes it while it runs. @default false: with the next start */
  reload?: boolean;
  /** It is shown to nobody. @default false */
  secret?: boolean;
}

/** What a row says beyond type, default and meaning. */
type More = Pick<OptionSpec<unknown>, "rule" | "mild" | "path" | "reload" | "secret">;

const row = <T>(type: OptionSpec<T>["type"]) => (value: T, doc = "", more: More = {}): OptionSpec<T> => ({
  type,
  default: value,
  doc,
  ...more,
});

export const bool = row<boolean>("bool");
export const number = row<number>("number");
export const text = row<string>("text");
export const list = row<unknown[]>("list");
export const map = row<Record<string, unknown>>("map");
export const maps = (doc = "", more: More = {}): OptionSpec<Record<string, unknown>> => ({
  ...map({}, doc, more),
  listed: true,
});
export const any = row<unknown>("any");

/** An option that works in part. @param differs what is not as in Salt, without a full stop */
export function partly<T>(spec: OptionSpec<T>, differs: string): OptionSpec<T> {
  return { ...spec, differs };
}

/** A table of options by name. */
// deno-lint-ignore no-explicit-any
export type OptionTable = Record<string, OptionSpec<any>>;

/**
 * The configuration that a table describes; names that are not in it keep their values as they are.
 *
 * @internal
 */
export type OptsOf<T extends OptionTable> =
  & { [K in keyof T]: T[K] extends OptionSpec<infer V> ? V : never }
  & Record<string, unknown>;

/** What a value of each type looks like in a configuration file, for messages. */
export const EXPECTED: Record<OptionSpec<unknown>["type"], string> = {
  bool: "True or False",
  number: "a number",
  text: "text",
  list: "a list",
  map: "a map",
  any: "any value",
};

/** True if a value can be used for an option. A number may be written as text, a list as one item: Salt takes both. */
export function fits(spec: OptionSpec<unknown>, value: unknown): boolean {
  if (value === null) return true;
  switch (spec.type) {
    case "bool":
      return typeof value === "boolean" || typeof value === "number" || typeof value === "string";
    case "number":
      return typeof value === "number" || value instanceof Number || typeof value === "boolean" ||
        (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)));
    case "text":
      return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    case "list":
      return Array.isArray(value) || typeof value === "string";
    case "map":
      return typeof value === "object" && (spec.listed === true || !Array.isArray(value));
    case "any":
      return true;
  }
}

/** Converts a value that {@link fits} to the type of its option; null stands for the default. */
export function settle(spec: OptionSpec<unknown>, value: unknown): unknown {
  if (value === null) return spec.type === "any" ? null : spec.default;
  switch (spec.type) {
    case "bool":
      return typeof value === "string"
        ? !/^(false|no|off|0|)$/i.test(value)
        : Boolean((value as number | boolean).valueOf());
    case "number":
      return Number(value);
    case "text":
      return String(value);
    case "list":
      return Array.isArray(value) ? value : [value];
    case "map":
      if (!Array.isArray(value)) return value;
      return Object.assign({}, ...value.filter((item) => typeof item === "object" && !Array.isArray(item)));
    default:
      return value;
  }
}

/** The names of the options of which the tables say so. */
export function optionsThat(mark: "path" | "reload" | "secret", ...tables: OptionTable[]): string[] {
  return tables.flatMap((table) => Object.keys(table).filter((name) => table[name]![mark] === true));
}
