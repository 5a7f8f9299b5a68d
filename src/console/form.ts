/** What `sys.argspec` says of a function. */
export interface ArgSpec {
  args: string[] | null;
  defaults: unknown[] | null;
  varargs: unknown;
  kwargs: unknown;
}

/** One argument to fill in. */
export interface Field {
  name: string;
  required: boolean;
  /** What the function takes if nothing is entered. */
  fallback?: unknown;
}

export interface Form {
  fields: Field[];
  /** It takes more positional arguments than it names. */
  more: boolean;
  /** It takes named arguments of any name. */
  named: boolean;
}

/** The form of a function's arguments; of one whose signature is not known it takes anything. */
export function formOf(spec: ArgSpec | undefined): Form {
  if (spec === undefined) return { fields: [], more: true, named: true };
  const names = spec.args ?? [];
  const defaults = spec.defaults ?? [];
  const firstDefault = names.length - defaults.length;
  return {
    fields: names.map((name, at) =>
      at < firstDefault ? { name, required: true } : { name, required: false, fallback: defaults[at - firstDefault] }
    ),
    more: Boolean(spec.varargs),
    named: Boolean(spec.kwargs),
  };
}

/** What somebody typed: its text, and whether it is to stay text whatever it looks like. */
export interface Entry {
  text: string;
  literal?: boolean;
}

export type Typed = { value: unknown; type: "text" | "number" | "true/false" | "null" | "list" | "mapping" };

const WORDS: Record<string, boolean | null> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
};

/** What an entry stands for: JSON where it is JSON, Python's words for true, false and nothing, else text. */
export function typed({ text, literal = false }: Entry): Typed {
  if (!literal) {
    const trimmed = text.trim();
    if (Object.hasOwn(WORDS, trimmed)) {
      const value = WORDS[trimmed]!;
      return { value, type: value === null ? "null" : "true/false" };
    }
    if (/^-?(\d|\[|\{|")/.test(trimmed)) {
      try {
        const value: unknown = JSON.parse(trimmed);
        // A number that would not come back as it was typed is an identifier of some kind: 20261121084331391697.
        if (typeof value === "number" && String(value) === trimmed) return { value, type: "number" };
        if (typeof value === "string") return { value, type: "text" };
        if (Array.isArray(value)) return { value, type: "list" };
        if (typeof value === "object") return { value, type: "mapping" };
      } catch {
        // Text that begins like JSON.
      }
    }
  }
  return { value: text, type: "text" };
}

/** The text that {@link typed} would read as this value. */
export function entryOf(value: unknown): Entry {
  if (typeof value === "string") {
    return typed({ text: value }).type === "text" && !value.startsWith('"')
      ? { text: value }
      : { text: value, literal: true };
  }
  return { text: JSON.stringify(value ?? null) };
}

/** All that was filled in. */
export interface Filled {
  /** By name of the field; what is missing or empty is not given. */
  fields: Record<string, Entry>;
  /** Positional ones after the fields. */
  more: Entry[];
  named: { name: string; entry: Entry }[];
}

export const EMPTY: Filled = { fields: {}, more: [], named: [] };

export type Arguments = { arg: unknown[]; kwarg: Record<string, unknown> };

/** A minion takes a text like `name=value` among the positional arguments for a named one. */
const LOOKS_NAMED = /^[A-Za-z_]\w*=/;

/**
 * Arguments as they are sent: positional as long as nothing is left out, named from there on. What is wrong comes as
 * sentences, by the name of the field.
 */
export function argumentsOf(form: Form, filled: Filled): Arguments & { problems: Record<string, string> } {
  const arg: unknown[] = [];
  const kwarg: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  const more = filled.more.filter(({ text, literal }) => text !== "" || literal);
  let gap = false;
  for (const { name, required, fallback } of form.fields) {
    const entry = filled.fields[name];
    if (entry === undefined || (entry.text === "" && !entry.literal)) {
      if (required) problems[name] = `${name} is needed`;
      // Those that follow by place need something in this one.
      else if (more.length > 0 && form.more) arg.push(fallback ?? null);
      else gap = true;
      continue;
    }
    const { value } = typed(entry);
    if (gap || (typeof value === "string" && LOOKS_NAMED.test(value))) {
      kwarg[name] = value;
      gap = true;
    } else arg.push(value);
  }
  for (const entry of more) {
    const { value } = typed(entry);
    if (gap) problems.more = "Further arguments go by their place: fill in those before them";
    else arg.push(value);
  }
  for (const { name, entry } of filled.named) {
    if (name === "" && entry.text === "") continue;
    if (!/^[A-Za-z_]\w*$/.test(name)) problems.named = `"${name}" is no name of an argument: letters, digits and _`;
    else kwarg[name] = typed(entry).value;
  }
  return { arg, kwarg, problems };
}

/** Fills a form from arguments of an earlier run. */
export function filledFrom(form: Form, { arg, kwarg }: Arguments): Filled {
  const fields: Record<string, Entry> = {};
  const names = form.fields.map(({ name }) => name);
  arg.slice(0, names.length).forEach((value, at) => fields[names[at]!] = entryOf(value));
  const named: Filled["named"] = [];
  for (const [name, value] of Object.entries(kwarg)) {
    if (names.includes(name)) fields[name] = entryOf(value);
    else named.push({ name, entry: entryOf(value) });
  }
  return { fields, more: arg.slice(names.length).map(entryOf), named };
}

/** The part of the documentation of a function that says what it does, its common indentation taken away. */
export function docText(doc: unknown): string {
  if (typeof doc !== "string") return "";
  const lines = doc.replace(/\t/g, "    ").split("\n");
  const indents = lines.slice(1).filter((line) => line.trim() !== "").map((line) => /^ */.exec(line)![0].length);
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map((line, at) => at === 0 ? line.trimStart() : line.slice(indent)).join("\n").trim();
}
