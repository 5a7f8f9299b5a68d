import { type AnyMap, entriesOf, isMap, str } from "../../../language/python/values.ts";
import { splitLines, strip } from "../../../language/python/text.ts";
import { translateRegexp } from "../../../language/python/regexp.ts";
import { compileSearch } from "../../../language/python/substitute.ts";

/** A value of an option, as text, or a section. Comments and lines that are neither stand under names that begin with `#`. */
type IniValue = string | IniSection;

/** What a change did: `{before, after}`, or for a section that was there the changes of its options. */
type IniChanges = Record<string, unknown>;

interface IniOptions {
  separator: string;
  /** Write no blanks around it. */
  noSpaces: boolean;
}

// As Salt has them, so that white space is what it is in Python.
const SECTION = compileSearch("^\\s*\\[(.+?)\\]\\s*$", { m: true });
const COMMENT = translateRegexp("^\\s*(#|;)");
const INDENT = translateRegexp("^(\\s+)");

/** The indent, name and value of a line with a separator, behind at least one character of a name. */
function optionIn(line: string, separator: string): { indent: string; name: string; value: string } | undefined {
  // As in Salt only the first character of a separator is taken literally.
  const match = translateRegexp(`^(\\s*)(.+?)\\s*\\${separator}\\s*(.*)\\s*`).exec(line);
  return match === null ? undefined : { indent: match[1]!, name: match[2]!, value: match[3]! };
}

/** A section of an ini file, or the whole file: its options in order, comments among them. */
export class IniSection {
  readonly entries = new Map<string, IniValue>();
  readonly options: IniOptions;

  constructor(options: IniOptions) {
    this.options = options;
  }

  /** Takes the lines of one section. A line that is indented deeper than the option above it continues its value. */
  readLines(lines: readonly string[]): void {
    let comments = 0;
    let unknown = 0;
    let depth = "";
    for (const line of lines) {
      if (COMMENT.test(line)) {
        this.update([[`#comment${++comments}`, line]]);
        continue;
      }
      const indent = (INDENT.exec(line)?.[0] ?? "").replaceAll("\t", "    ");
      const last = [...this.entries.keys()].at(-1);
      if (indent > depth && last !== undefined) {
        this.update([[last, `${str(this.entries.get(last))}\n${line}`]]);
        continue;
      }
      const option = optionIn(line, this.options.separator);
      if (option === undefined) this.update([[`#unknown${++unknown}`, line]]);
      else {
        depth = option.indent.replaceAll("\t", "    ");
        this.update([[option.name, option.value]]);
      }
    }
  }

  /** Sets options and sections. @returns what changed, by name */
  update(wanted: Iterable<readonly [string, unknown]>): IniChanges {
    const changes = new Map<string, unknown>();
    for (const [name, given] of wanted) {
      const value = this.#valueOf(given);
      const before = this.entries.get(name);
      if (before === undefined) {
        changes.set(name, { before: null, after: plainValue(value) });
        this.#put(name, value);
      } else if (before instanceof IniSection) {
        const inside = value instanceof IniSection ? before.update(value.entries) : {};
        if (Object.keys(inside).length > 0) changes.set(name, inside);
      } else if (before !== value) {
        changes.set(name, { before, after: plainValue(value) });
        this.entries.set(name, value);
      }
    }
    return Object.fromEntries(changes);
  }

  /** The text of options, then of the sections, each below its name and behind an empty line. */
  render(): string {
    const { separator, noSpaces } = this.options;
    const between = /^ *$/.test(separator) ? " " : noSpaces ? strip(separator) : ` ${strip(separator)} `;
    let text = "";
    for (const [name, value] of this.entries) {
      if (value instanceof IniSection) continue;
      text += COMMENT.test(name) ? `${value}\n` : `${name}${between}${value}\n`;
    }
    for (const [name, value] of this.entries) {
      if (value instanceof IniSection) text += `\n[${name}]\n${value.render()}`;
    }
    return text;
  }

  #valueOf(given: unknown): IniValue {
    if (!isMap(given) && !(given instanceof IniSection)) return str(given);
    const section = new IniSection(this.options);
    section.update(given instanceof IniSection ? given.entries : textKeys(given));
    return section;
  }

  /** A new option takes the place of a comment that holds it; any other comes last. */
  #put(name: string, value: IniValue): void {
    const entries = [...this.entries];
    const at = value instanceof IniSection
      ? -1
      : entries.findIndex(([key, text]) =>
        key.startsWith("#comment") && typeof text === "string" &&
        optionIn(text.replace(/^#+/, ""), this.options.separator)?.name === name
      );
    if (at < 0) {
      this.entries.set(name, value);
      return;
    }
    this.entries.clear();
    entries.forEach(([key, text], index) => index === at ? this.entries.set(name, value) : this.entries.set(key, text));
  }
}

const textKeys = (map: AnyMap) => entriesOf(map).map(([key, value]) => [str(key), value] as const);

/** A section as a map, with its comments; an option as its text. */
function plainValue(value: IniValue): unknown {
  if (!(value instanceof IniSection)) return value;
  return Object.fromEntries([...value.entries].map(([name, inside]) => [name, plainValue(inside)]));
}

/** A section as a map, without its comments. */
export function withoutComments(section: IniSection): Record<string, unknown> {
  return Object.fromEntries(
    [...section.entries].filter(([name]) => !name.startsWith("#"))
      .map(([name, value]) => [name, value instanceof IniSection ? withoutComments(value) : value]),
  );
}

/** Reads the text of an ini file. Sections of one name become one. */
export function parseIni(text: string, options: IniOptions): IniSection {
  const file = new IniSection(options);
  const whole = splitLines(text).join("\n");
  const heads = [...whole.matchAll(SECTION)];
  const linesFrom = (from: number, next: RegExpExecArray | undefined) => {
    const part = whole.slice(from, next?.index).replace(/^\n+|\n+$/g, "");
    return part === "" ? [] : part.split("\n");
  };
  file.readLines(linesFrom(0, heads[0]));
  for (const [at, head] of heads.entries()) {
    const section = new IniSection(options);
    section.readLines(linesFrom(head.index + head[0].length, heads[at + 1]));
    file.update([[head[1]!, section]]);
  }
  return file;
}

/** The text of an ini file; a section that is first has no empty line above it. */
export function renderIni(file: IniSection): string {
  return file.render().replace(/^\n+(?=\[)/, "");
}
