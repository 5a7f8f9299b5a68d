import { messageOf } from "../../base/errors.ts";
import { type AnyMap, entriesOf, isMap, repr, str, truthy, typeName } from "../../language/python/values.ts";
import { iterate } from "../../language/python/iterate.ts";
import { decodeUtf8 } from "../../language/python/utf8.ts";
import { DeserializationError, SerializationError, type Serializer, type SerializerOptions } from "./serializer.ts";

const DEFAULTS = "DEFAULT";
/** Steps of `%(name)s` that lead to others. */
const DEEPEST = 10;

type Section = Map<string, string | null>;

/** The arguments of Python's `configparser.ConfigParser`. */
interface Layout {
  defaults: Section;
  allowEmpty: boolean;
  delimiters: string[];
  comments: string[];
  inlineComments: string[];
  strict: boolean;
  emptyLines: boolean;
  defaultSection: string;
  interpolates: boolean;
}

const KNOWN = new Set([
  "defaults",
  "dict_type",
  "allow_no_value",
  "delimiters",
  "comment_prefixes",
  "inline_comment_prefixes",
  "strict",
  "empty_lines_in_values",
  "default_section",
  "interpolation",
  "converters",
]);

/** @throws {TypeError} for a name that ConfigParser does not have */
function layoutOf(options: SerializerOptions): Layout {
  const unknown = Object.keys(options).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) {
    throw new TypeError(`RawConfigParser.__init__() got an unexpected keyword argument '${unknown}'`);
  }
  const given = (name: string, otherwise: unknown) => Object.hasOwn(options, name) ? options[name] : otherwise;
  const words = (name: string, otherwise: readonly string[]): string[] => {
    const value = given(name, otherwise);
    return value === null ? [] : [...iterate(value)].map(str);
  };
  const { defaults } = options;
  return {
    defaults: new Map(
      isMap(defaults)
        ? entriesOf(defaults).map(([key, value]) => [str(key).toLowerCase(), value === null ? null : str(value)])
        : [],
    ),
    allowEmpty: truthy(options.allow_no_value),
    delimiters: words("delimiters", ["=", ":"]),
    comments: words("comment_prefixes", ["#", ";"]),
    inlineComments: words("inline_comment_prefixes", []),
    strict: truthy(given("strict", true)),
    emptyLines: truthy(given("empty_lines_in_values", true)),
    defaultSection: str(given("default_section", DEFAULTS)),
    interpolates: given("interpolation", true) !== null,
  };
}

/** Refuses a `%` that neither stands for itself (`%%`) nor names another option. */
function checkInterpolation(value: string): void {
  const rest = value.replaceAll("%%", "").replace(/%\([^)]+\)s/g, "");
  const at = rest.indexOf("%");
  if (at >= 0) throw new SerializationError(`invalid interpolation syntax in ${repr(value)} at position ${at}`);
}

/** The options of a section, as they are to be written. */
function settings(layout: Layout, values: unknown): Section {
  if (!isMap(values)) throw new SerializationError(`'${typeName(values)}' object has no attribute 'items'`);
  return new Map(
    entriesOf(values).map(([key, value]): [string, string | null] => {
      const option = str(key).toLowerCase();
      if (value === null) {
        if (!layout.allowEmpty) throw new SerializationError("option values must be strings");
        return [option, null];
      }
      const text = str(value);
      if (layout.interpolates) checkInterpolation(text);
      return [option, text];
    }),
  );
}

function sectionText({ delimiters }: Layout, name: string, section: Section): string {
  const lines = [...section].map(([option, value]) =>
    value === null ? `${option}\n` : `${option} ${delimiters[0] ?? "="} ${value.replaceAll("\n", "\n\t")}\n`
  );
  return `[${name}]\n${lines.join("")}\n`;
}

function serialize(layout: Layout, value: AnyMap): string {
  const defaults: Section = new Map(layout.defaults);
  const sections = new Map<string, Section>();
  for (const [key, values] of entriesOf(value)) {
    const name = str(key);
    if (name !== DEFAULTS && name === layout.defaultSection) {
      throw new SerializationError(`Invalid section name: ${repr(name)}`);
    }
    const section = settings(layout, values);
    if (name === DEFAULTS && layout.defaultSection !== DEFAULTS) {
      throw new SerializationError(`No section: ${repr(name)}`);
    }
    if (name === DEFAULTS) { for (const [option, text] of section) defaults.set(option, text); }
    else if (sections.has(name)) throw new SerializationError(`Section ${repr(name)} already exists`);
    else sections.set(name, section);
  }
  const first = defaults.size === 0 ? "" : sectionText(layout, layout.defaultSection, defaults);
  return first + [...sections].map(([name, section]) => sectionText(layout, name, section)).join("");
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** Reads lines as Python's `RawConfigParser._read` does. */
class LineReader {
  readonly sections = new Map<string, Section>();
  readonly defaults: Section;
  readonly #layout: Layout;
  readonly #option: RegExp;
  /** Values of several lines, until all of them are read. */
  readonly #lines = new Map<Section, Map<string, string[]>>();
  readonly #errors: string[] = [];
  readonly #names = new Set<string>();
  #section: Section | undefined;
  #name = "";
  #last: string | undefined;
  #indent = 0;

  constructor(layout: Layout) {
    this.#layout = layout;
    this.defaults = new Map(layout.defaults);
    const delimiters = layout.delimiters.map(escaped).join("|");
    const value = `(?:${delimiters})\\s*(?<value>.*)`;
    this.#option = new RegExp(
      layout.allowEmpty ? `^(?<option>.*?)\\s*(?:${value})?$` : `^(?<option>.*?)\\s*${value}$`,
      "s",
    );
  }

  /** @throws {DeserializationError} */
  read(text: string): void {
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    for (const [at, line] of lines.entries()) this.#take(line, at + 1, at + 1 < lines.length || text.endsWith("\n"));
    if (this.#errors.length > 0) {
      throw new DeserializationError(`Source contains parsing errors: '<???>'${this.#errors.join("")}`);
    }
    for (const [section, values] of this.#lines) {
      for (const [option, parts] of values) section.set(option, parts.join("\n").trimEnd());
    }
  }

  /** Where a comment begins; undefined for none. */
  #comment(line: string): number | undefined {
    if (this.#layout.comments.some((prefix) => line.trim().startsWith(prefix))) return 0;
    let first: number | undefined;
    for (const prefix of this.#layout.inlineComments) {
      for (let at = line.indexOf(prefix); at >= 0; at = line.indexOf(prefix, at + 1)) {
        if (at > 0 && !/\s/.test(line[at - 1]!)) continue;
        first = Math.min(first ?? at, at);
        break;
      }
    }
    return first;
  }

  #take(line: string, number: number, isEnded: boolean): void {
    const comment = this.#comment(line);
    const value = line.slice(0, comment).trim();
    const open = this.#open();
    if (value === "") {
      if (!this.#layout.emptyLines) this.#indent = Infinity;
      else if (comment === undefined) open?.push("");
      return;
    }
    const indent = line.length - line.trimStart().length;
    if (open !== undefined && indent > this.#indent) return void open.push(value);
    if (this.#section !== undefined && this.#last !== undefined && indent > this.#indent) {
      throw new DeserializationError("'NoneType' object has no attribute 'append'");
    }
    this.#indent = indent;
    const header = /^\[(.+)\]/s.exec(value);
    if (header !== null) return this.#begin(header[1]!, number);
    const raw = repr(isEnded ? `${line}\n` : line);
    if (this.#section === undefined) {
      throw new DeserializationError(`File contains no section headers.\nfile: '<???>', line: ${number}\n${raw}`);
    }
    const pair = this.#option.exec(value)?.groups;
    if (pair === undefined || pair.option === "") {
      this.#errors.push(`\n\t[line ${String(number).padStart(2)}]: ${raw}`);
      if (pair === undefined) return;
    }
    this.#set(pair.option!.trimEnd().toLowerCase(), pair.value?.trim(), number);
  }

  /** The lines of the option that a further line continues. */
  #open(): string[] | undefined {
    if (this.#section === undefined || this.#last === undefined) return undefined;
    return this.#lines.get(this.#section)?.get(this.#last);
  }

  #begin(name: string, number: number): void {
    const found = this.sections.get(name);
    this.#name = name;
    this.#last = undefined;
    if (name === this.#layout.defaultSection) this.#section = this.defaults;
    else if (found === undefined) this.sections.set(name, this.#section = new Map());
    else if (this.#layout.strict) throw this.#duplicate(number, `section ${repr(name)}`);
    else this.#section = found;
  }

  #set(option: string, value: string | undefined, number: number): void {
    const key = JSON.stringify([this.#name, option]);
    if (this.#layout.strict && this.#names.has(key)) {
      throw this.#duplicate(number, `option ${repr(option)} in section ${repr(this.#name)}`);
    }
    this.#names.add(key);
    this.#last = option;
    const section = this.#section!;
    // Its place among the options is that of its first mention.
    section.set(option, null);
    const values = this.#lines.get(section) ?? new Map<string, string[]>();
    this.#lines.set(section, values);
    if (value === undefined) values.delete(option);
    else values.set(option, [value]);
  }

  #duplicate(number: number, what: string): DeserializationError {
    return new DeserializationError(
      `While reading from '<???>' [line ${String(number).padStart(2)}]: ${what} already exists`,
    );
  }
}

/** Values with `%(name)s` replaced by other options of the section or the defaults. */
function interpolated(name: string, values: Section): Section {
  const expand = (option: string, whole: string, text: string, depth: number): string => {
    const raw = `Raw value: ${repr(whole)}`;
    if (depth > DEEPEST) {
      throw new DeserializationError(
        `Recursion limit exceeded in value substitution: option ${repr(option)} in section ${
          repr(name)
        } contains an interpolation ` +
          `key which cannot be substituted in ${DEEPEST} steps. ${raw}`,
      );
    }
    return text.replace(/%(?:%|\(([^)]+)\)s)?/g, (found, key: string | undefined, at: number) => {
      if (found === "%%") return "%";
      if (key === undefined) {
        const rest = text.slice(at);
        throw new DeserializationError(
          rest.startsWith("%(")
            ? `bad interpolation variable reference ${repr(rest)}`
            : `'%' must be followed by '%' or '(', found: ${repr(rest)}`,
        );
      }
      const lower = key.toLowerCase();
      if (!values.has(lower)) {
        throw new DeserializationError(
          `Bad value substitution: option ${repr(option)} in section ${repr(name)} contains an interpolation key ${
            repr(lower)
          } ` +
            `which is not a valid option name. ${raw}`,
        );
      }
      const value = values.get(lower) ?? "";
      return value.includes("%") ? expand(option, whole, value, depth + 1) : value;
    });
  };
  return new Map([...values].map(([key, value]) => [key, value === null ? null : expand(key, value, value, 1)]));
}

/** Files of sections and options, as Python's configparser has them, with its options. */
export const configparser: Serializer = {
  serialize(value, options) {
    if (!isMap(value)) {
      throw new SerializationError(`configparser can only serialize dictionaries, not <class '${typeName(value)}'>`);
    }
    let layout: Layout;
    try {
      layout = layoutOf(options);
    } catch (error) {
      throw new SerializationError(messageOf(error));
    }
    return serialize(layout, value);
  },
  deserialize(bytes, options) {
    const layout = layoutOf(options);
    const reader = new LineReader(layout);
    reader.read(decodeUtf8(bytes));
    return new Map([...reader.sections].map(([name, own]) => {
      const all: Section = new Map([...reader.defaults, ...own]);
      return [name, layout.interpolates ? interpolated(name, all) : all];
    }));
  },
};
