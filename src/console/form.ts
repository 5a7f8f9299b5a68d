/** The signature of a function, as `sys.argspec` returns it. */
export interface ArgSpec {
  args: string[] | null;
  defaults: unknown[] | null;
  varargs: unknown;
  kwargs: unknown;
}

export interface Field {
  name: string;
  required: boolean;
  /** The default of the function. */
  fallback?: unknown;
}

export interface Form {
  fields: Field[];
  /** True if the function takes extra positional arguments (`*args`). */
  more: boolean;
  /** True if the function takes keyword arguments of any name (`**kwargs`). */
  named: boolean;
}

/** The form of a function's arguments; without a signature it takes any arguments. */
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

/** The text that the user typed, and whether it is sent as text even if it looks like another type. */
export interface FormEntry {
  text: string;
  literal?: boolean;
}

type Typed = { value: unknown; type: "text" | "number" | "true/false" | "null" | "list" | "mapping" };

const WORDS: Record<string, boolean | null> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
};

/** The value of an entry: JSON, Python's `True`, `False` and `None`, else text. */
export function typed({ text, literal = false }: FormEntry): Typed {
  if (!literal) {
    const trimmed = text.trim();
    if (Object.hasOwn(WORDS, trimmed)) {
      const value = WORDS[trimmed]!;
      return { value, type: value === null ? "null" : "true/false" };
    }
    if (/^-?(\d|\[|\{|")/.test(trimmed)) {
      try {
        const value: unknown = JSON.parse(trimmed);
        // A number that would lose digits, such as the jid 20261121084331391697, stays a text.
        if (typeof value === "number" && String(value) === trimmed) return { value, type: "number" };
        if (typeof value === "string") return { value, type: "text" };
        if (Array.isArray(value)) return { value, type: "list" };
        if (typeof value === "object") return { value, type: "mapping" };
      } catch {
        // The text only starts like JSON.
      }
    }
  }
  return { value: text, type: "text" };
}

/** The entry that {@link typed} reads as this value. */
export function formEntry(value: unknown): FormEntry {
  if (typeof value === "string") {
    return typed({ text: value }).type === "text" && !value.startsWith('"')
      ? { text: value }
      : { text: value, literal: true };
  }
  return { text: JSON.stringify(value ?? null) };
}

export interface Filled {
  /** The entries by name of the field; missing and empty ones are not sent. */
  fields: Record<string, FormEntry>;
  /** Extra positional arguments. */
  more: FormEntry[];
  named: { name: string; entry: FormEntry }[];
}

export const EMPTY: Filled = { fields: {}, more: [], named: [] };

type Arguments = { arg: unknown[]; kwarg: Record<string, unknown> };

/** Matches a positional text like `name=value`, which minions would read as a keyword argument. */
const LOOKS_NAMED = /^[A-Za-z_]\w*=/;

/**
 * The arguments to send: positional until one is left out, by keyword from there on.
 *
 * @returns `problems`: problems by the name of the field
 */
export function formArguments(form: Form, filled: Filled): Arguments & { problems: Record<string, string> } {
  const arg: unknown[] = [];
  const kwarg: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  const more = filled.more.filter(({ text, literal }) => text !== "" || literal);
  let gap = false;
  for (const { name, required, fallback } of form.fields) {
    const entry = filled.fields[name];
    if (entry === undefined || (entry.text === "" && !entry.literal)) {
      if (required) problems[name] = `${name} is required`;
      // Extra arguments follow by position, so this argument needs a value.
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
    if (gap) problems.more = "Extra arguments are positional: fill in the arguments before them";
    else arg.push(value);
  }
  for (const { name, entry } of filled.named) {
    if (name === "" && entry.text === "") continue;
    if (!/^[A-Za-z_]\w*$/.test(name)) problems.named = `"${name}" is not an argument name: use letters, digits and _`;
    else kwarg[name] = typed(entry).value;
  }
  return { arg, kwarg, problems };
}

/** Fills a form from arguments of an earlier run. */
export function filledFrom(form: Form, { arg, kwarg }: Arguments): Filled {
  const fields: Record<string, FormEntry> = {};
  const names = form.fields.map(({ name }) => name);
  arg.slice(0, names.length).forEach((value, at) => fields[names[at]!] = formEntry(value));
  const named: Filled["named"] = [];
  for (const [name, value] of Object.entries(kwarg)) {
    if (names.includes(name)) fields[name] = formEntry(value);
    else named.push({ name, entry: formEntry(value) });
  }
  return { fields, more: arg.slice(names.length).map(formEntry), named };
}

/** The contents of a form with or without `test=True`. */
export function withTest(form: Form, filled: Filled, on: boolean): Filled {
  const isField = form.fields.some(({ name }) => name === "test");
  const { test: _test, ...fields } = filled.fields;
  const named = filled.named.filter(({ name }) => name !== "test");
  if (!on) return { ...filled, fields, named };
  const entry = { text: "True" };
  return isField ? { ...filled, fields: { ...fields, test: entry }, named } : {
    ...filled,
    fields,
    named: [...named, { name: "test", entry }],
  };
}

/** The documentation of a function without its common indentation. */
export function docText(doc: unknown): string {
  if (typeof doc !== "string") return "";
  const lines = doc.replace(/\t/g, "    ").split("\n");
  const indents = lines.slice(1).filter((line) => line.trim() !== "").map((line) => /^ */.exec(line)![0].length);
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map((line, at) => at === 0 ? line.trimStart() : line.slice(indent)).join("\n").trim();
}
