import {
  entriesOf,
  isFloat,
  isInteger,
  isMap,
  OrderedMap,
  PythonObject,
  repr,
  str,
  truthy,
  typeName,
} from "../../../python/values.ts";
import { dumpJson } from "../../../python/json_dump.ts";
import { prettyFormat } from "../../../python/pprint.ts";
import { PythonError, typeError } from "../../../python/python_error.ts";
import { dump } from "../../../yaml/dump.ts";
import { doubleQuoted, singleQuoted } from "../../../yaml/quoted.ts";
import type { Filter } from "../../../jinja/mod.ts";
import { bind, filter, Markup, TemplateRuntimeError, Undefined, withoutMarkup } from "../../../jinja/mod.ts";
import { dumpXml } from "./xml.ts";

/** All undefined values inside of a value, in order. */
function undefinedIn(value: unknown, above: readonly unknown[] = []): Undefined[] {
  if (value instanceof Undefined) return [value];
  if (value === null || typeof value !== "object" || above.includes(value)) return [];
  const inside = [...above, value];
  if (isMap(value)) {
    return entriesOf(value).flatMap(([key, item]) => [...undefinedIn(key, inside), ...undefinedIn(item, inside)]);
  }
  return Array.isArray(value) || value instanceof Set
    ? Array.from(value).flatMap((item) => undefinedIn(item, inside))
    : [];
}

/** A filter that returns an undefined value with all messages if its argument contains undefined values. */
export function definedOnly(apply: Filter): Filter {
  return (run, value, args, keywords) => {
    const missing = typeof value === "object" ? undefinedIn(value) : [];
    if (missing.length > 0) return new Undefined(missing.map(({ message }) => message).join("\n"));
    return apply(run, value, args, keywords);
  };
}

const HTML: Readonly<Record<string, string>> = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "'": "\\u0027" };

const toJson: Filter = (_run, value, args, keywords) => {
  const { indent } = bind("tojson", ["val", ["indent", null]], [value, ...args], new Map());
  const options = Object.fromEntries(keywords);
  const separators = Array.isArray(options.separators) ? options.separators.map(str) as [string, string] : undefined;
  const text = dumpJson(withoutMarkup(value), {
    indent: (options.indent ?? indent) as number | null,
    sortKeys: truthy(options.sort_keys ?? false),
    ensureAscii: truthy(options.ensure_ascii ?? true),
    ...(separators === undefined ? {} : { separators }),
  });
  return text.replace(/[<>&']/g, (character) => HTML[character]!);
};

function yamlText(value: unknown, flow: boolean): Markup {
  // Salt's YAML writes objects as NULL, and markup counts as an object.
  const text = value instanceof PythonObject ? "NULL" : dump(value, { flow, aliases: true, objects: "NULL" }).trimEnd();
  return new Markup(text.endsWith("\n...") ? text.slice(0, -4) : text);
}

/** The text of a document to read. @throws the error of `refuse` for a value that is not text */
function sourceOf(value: unknown, refuse: (value: unknown) => Error): string {
  if (value instanceof Undefined) value.fail();
  if (typeof value === "string" || value instanceof PythonObject) return str(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  throw refuse(value);
}

const noYamlSource = () => typeError("a string or stream input is required");
const noJson = (value: unknown) => new TemplateRuntimeError(`Unable to load json from ${str(value)}`);

function encodeScalar(value: unknown): string {
  if (value === null) return "null";
  if (typeof value === "boolean" || isInteger(value) || isFloat(value)) {
    return dump(value).trimEnd().replace(/\n\.\.\.$/, "");
  }
  if (value instanceof Markup) {
    throw new PythonError("RepresenterError", `('cannot represent an object', ${repr(value)})`);
  }
  if (typeof value === "string") return doubleQuoted(value);
  throw typeError(`yaml_encode() only works with YAML scalar data; failed for <class '${typeName(value)}'>`);
}

function stateParameters(value: unknown, flow: boolean): Markup {
  if (value instanceof Undefined) value.fail();
  if (!isMap(value)) throw typeError(`'${typeName(value)}' object has no attribute 'items'`);
  return yamlText(entriesOf(value).map(([key, item]) => new OrderedMap([[key, item]])), flow);
}

/** Filters that write values as JSON, YAML, XML and Python. */
export const SERIALIZE_FILTERS: Readonly<Record<string, Filter>> = {
  tojson: definedOnly(toJson),
  json: definedOnly(
    filter(
      "format_json",
      ["value", ["sort_keys", true], ["indent", null]],
      ({ value, sort_keys, indent }) =>
        new Markup(
          dumpJson(withoutMarkup(value), {
            sortKeys: truthy(sort_keys),
            indent: indent as number | null,
            ensureAscii: false,
          }),
        ),
    ),
  ),
  yaml: definedOnly(
    filter(
      "format_yaml",
      ["value", ["flow_style", true]],
      ({ value, flow_style }) => yamlText(value, truthy(flow_style)),
    ),
  ),
  xml: definedOnly(filter("format_xml", ["value"], ({ value }) => {
    if (!isMap(value) && !Array.isArray(value)) {
      throw new TemplateRuntimeError("Value is not a dict or list. Cannot render as XML");
    }
    return new Markup(dumpXml(value));
  })),
  python: definedOnly(filter("format_python", ["value"], ({ value }) => new Markup(prettyFormat(value).trim()))),
  dict_to_sls_yaml_params: filter(
    "dict_to_sls_yaml_params",
    ["value", ["flow_style", false]],
    ({ value, flow_style }) => stateParameters(value, truthy(flow_style)),
  ),
  load_yaml: filter("load_yaml", ["value"], ({ value }, run) => {
    // Salt's reader refuses subclasses of text, such as the result of the filter `yaml`.
    if (value instanceof Markup) throw noYamlSource();
    return run.environment.data("yaml", sourceOf(value, noYamlSource));
  }),
  load_json: filter("load_json", ["value"], ({ value }, run) => run.environment.data("json", sourceOf(value, noJson))),
  load_text: filter("load_text", ["value"], ({ value }) => value instanceof Undefined ? value.fail() : value),
  yaml_dquote: filter("yaml_dquote", ["text"], ({ text }) => doubleQuoted(str(text))),
  yaml_squote: filter("yaml_squote", ["text"], ({ text }) => singleQuoted(str(text))),
  yaml_encode: filter("yaml_encode", ["data"], ({ data }) => encodeScalar(data)),
};
