import { entriesOf, isMap } from "../../language/python/containers.ts";
import { splitLinesKeepEnds } from "../../language/python/lines.ts";
import { repr, str } from "../../language/python/repr.ts";
import { truthy } from "../../language/python/truth.ts";
import { typeName } from "../../language/python/type_name.ts";
import { decodeUtf8 } from "../../language/python/utf8.ts";
import { DeserializationError, SerializationError, type Serializer } from "./serializer.ts";

const DEFAULTS = "DEFAULT";

/** Refuses a `%` that neither stands for itself (`%%`) nor names another option. */
function checkInterpolation(value: string): void {
  const at = value.replaceAll("%%", "").replace(/%\([^)]*\)s/g, "").indexOf("%");
  if (at >= 0) {
    throw new SerializationError(`invalid interpolation syntax in ${repr(value)} at position ${value.indexOf("%")}`);
  }
}

function sectionText(name: string, values: unknown, allowEmpty: boolean): string {
  if (!isMap(values)) throw new SerializationError(`'${typeName(values)}' object has no attribute 'items'`);
  const lines = entriesOf(values).map(([key, value]) => {
    const option = str(key).toLowerCase();
    if (value === null) {
      if (!allowEmpty) throw new SerializationError("option values must be strings");
      return `${option}\n`;
    }
    const text = str(value);
    checkInterpolation(text);
    return `${option} = ${text.replaceAll("\n", "\n\t")}\n`;
  });
  return `[${name}]\n${lines.join("")}\n`;
}

/** Values with `%(name)s` replaced by other options of the section or the defaults. */
function interpolated(values: ReadonlyMap<string, string | null>): Map<string, string | null> {
  const DEEPEST = 10;
  const expand = (text: string, depth: number): string =>
    text.replace(/%(?:%|\(([^)]*)\)s)/g, (whole, name) => {
      if (whole === "%%") return "%";
      const value = values.get(String(name).toLowerCase());
      if (value === undefined || depth >= DEEPEST) throw new DeserializationError(`Bad value substitution: ${whole}`);
      return expand(value ?? "", depth + 1);
    });
  return new Map([...values].map(([key, value]) => [key, value === null ? null : expand(value, 0)]));
}

function noHeader(line: number, text: string): DeserializationError {
  return new DeserializationError(
    `File contains no section headers.\nfile: '<???>', line: ${line}\n${repr(text)}`,
  );
}

/** Sections and options of a text, those of `DEFAULT` among the sections. */
function sectionsOf(text: string, allowEmpty: boolean): Map<string, Map<string, string | null>> {
  const sections = new Map<string, Map<string, string | null>>();
  let section: Map<string, string | null> | undefined;
  let option: string | undefined;
  for (const [at, raw] of splitLinesKeepEnds(text).entries()) {
    const line = /^\s*[#;]/.test(raw) ? "" : raw.trimEnd();
    if (line === "") continue;
    if (/^\s/.test(line) && section !== undefined && option !== undefined) {
      section.set(option, `${section.get(option) ?? ""}\n${line.trim()}`);
      continue;
    }
    const header = /^\[(.+)\]/.exec(line.trim());
    if (header !== null) {
      const name = header[1]!;
      if (sections.has(name) && name !== DEFAULTS) {
        throw new DeserializationError(`While reading from '<???>' [line ${at + 1}]: section '${name}' already exists`);
      }
      sections.set(name, section = sections.get(name) ?? new Map());
      option = undefined;
      continue;
    }
    if (section === undefined) throw noHeader(at + 1, raw);
    const pair = /^([^=:]*?)\s*[=:]\s*(.*)$/.exec(line.trim());
    if (pair === null && !allowEmpty) {
      throw new DeserializationError(
        `Source contains parsing errors: '<???>'\n\t[line ${at + 1}]: ${repr(raw)}`,
      );
    }
    option = (pair?.[1] ?? line.trim()).toLowerCase();
    section.set(option, pair?.[2] ?? null);
  }
  return sections;
}

/** Files of sections and options, as Python's configparser has them. */
export const configparser: Serializer = {
  serialize(value, { allow_no_value: allowEmpty }) {
    if (!isMap(value)) {
      throw new SerializationError(`configparser can only serialize dictionaries, not <class '${typeName(value)}'>`);
    }
    const entries = entriesOf(value).map(([name, of]): [string, unknown] => [str(name), of]);
    const ordered = [
      ...entries.filter(([name]) => name === DEFAULTS),
      ...entries.filter(([name]) => name !== DEFAULTS),
    ];
    return ordered.map(([name, values]) => sectionText(name, values, truthy(allowEmpty))).join("");
  },
  deserialize(bytes, { allow_no_value: allowEmpty }) {
    const sections = sectionsOf(decodeUtf8(bytes), truthy(allowEmpty));
    const defaults = sections.get(DEFAULTS) ?? new Map();
    sections.delete(DEFAULTS);
    return new Map([...sections].map(([name, own]) => [name, interpolated(new Map([...defaults, ...own]))]));
  },
};
