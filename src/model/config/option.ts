import type { Rule } from "./rules.ts";

/** One row of an option table: all facts about one option. */
export interface OptionSpec<T> {
  type: "bool" | "number" | "text" | "list" | "map" | "any";
  /** The default; undefined for an option that is absent unless a file sets it. */
  default: T;
  /** For a map: accept a list of maps, too, and join their entries. @default false */
  listed?: boolean;
  /** Meaning of the option in Brine, in one sentence. */
  doc: string;
  /** Difference from Salt, for an option that works in part. @default none: the option works as in Salt */
  differs?: string;
  /** Further check of the value, beyond its type. @default for numbers: at least 0, unless the default is less */
  rule?: Rule;
  /** True if a daemon warns of a wrong value and uses the default, instead of refusing to start. @default false */
  mild?: boolean;
  /** True for a path that is put below `root_dir`. @default false */
  path?: boolean;
  /** True if a running master takes a new value on a reload. @default false: a restart is needed */
  reload?: boolean;
  /** True if the value is never shown. @default false */
  secret?: boolean;
}

/** The further columns of a row: those beyond type, default and meaning. */
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

/** Marks an option that works in part. @param differs the difference from Salt, without a full stop */
export function partly<T>(spec: OptionSpec<T>, differs: string): OptionSpec<T> {
  return { ...spec, differs };
}

// deno-lint-ignore no-explicit-any
export type OptionTable = Record<string, OptionSpec<any>>;

/**
 * The type of the configuration that a table describes; names outside the table may have any value.
 *
 * @internal
 */
export type OptsOf<T extends OptionTable> =
  & { [K in keyof T]: T[K] extends OptionSpec<infer V> ? V : never }
  & Record<string, unknown>;

/** The form of each type in a configuration file, for messages. */
export const EXPECTED: Record<OptionSpec<unknown>["type"], string> = {
  bool: "True or False",
  number: "a number",
  text: "text",
  list: "a list",
  map: "a map",
  any: "any value",
};

/** True if a value has the option's type. As in Salt, a number may be written as text, and a list as a single item. */
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

/** Converts a value that {@link fits} to the option's type; null becomes the default. */
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

export function optionsThat(mark: "path" | "reload" | "secret", ...tables: OptionTable[]): string[] {
  return tables.flatMap((table) => Object.keys(table).filter((name) => table[name]![mark] === true));
}
