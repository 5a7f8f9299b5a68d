/** One row of an option table. */
export interface OptionSpec<T> {
  type: "bool" | "number" | "text" | "list" | "map" | "any";
  default: T;
  /** Of a map: a list of maps is taken, too, for one of all their entries. @default false */
  listed?: boolean;
  /** One line for the reference; empty where the name says it all. */
  doc: string;
}

export const bool = (value: boolean, doc = ""): OptionSpec<boolean> => ({ type: "bool", default: value, doc });
export const number = (value: number, doc = ""): OptionSpec<number> => ({ type: "number", default: value, doc });
export const text = (value: string, doc = ""): OptionSpec<string> => ({ type: "text", default: value, doc });
export const list = (value: unknown[], doc = ""): OptionSpec<unknown[]> => ({ type: "list", default: value, doc });
export const map = (value: Record<string, unknown>, doc = ""): OptionSpec<Record<string, unknown>> => ({
  type: "map",
  default: value,
  doc,
});
export const maps = (doc = ""): OptionSpec<Record<string, unknown>> => ({ ...map({}, doc), listed: true });
export const any = (value: unknown, doc = ""): OptionSpec<unknown> => ({ type: "any", default: value, doc });

/** A table of options by name. */
// deno-lint-ignore no-explicit-any
export type OptionTable = Record<string, OptionSpec<any>>;

/** The configuration that a table describes; keys that it does not know are kept as they are. */
export type OptsOf<T extends OptionTable> =
  & { [K in keyof T]: T[K] extends OptionSpec<infer V> ? V : never }
  & Record<string, unknown>;

/** True if a value can stand for an option. Numbers may be written as text, lists as one item: Salt takes both. */
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

/** Brings a value that {@link fits} into the type of its option. */
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
