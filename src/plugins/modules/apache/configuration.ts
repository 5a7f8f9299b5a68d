import { entriesOf, isMap, lookup, str } from "../../../language/python/values.ts";
import { pythonError } from "../../python_errors.ts";

/** The lines of a section or of directives, as `apache.config` has them. A value that is no text, list or map is left out. */
function block(value: unknown, name: string): string {
  if (typeof value === "string") return name === "" ? value : `${name} ${value}`;
  if (Array.isArray(value)) return ofList(value, name);
  return isMap(value) ? ofMap(entriesOf(value), lookup(value, "this"), name) : "";
}

function ofList(items: readonly unknown[], name: string): string {
  const maps = items.filter(isMap);
  const of = maps.map((item) => lookup(item, "this")).findLast((one) => one !== undefined);
  if (of === undefined) return items.map((item) => `${block(item, name)}\n`).join("");
  const lines = maps.flatMap(entriesOf).filter(([key]) => key !== "this").map(([key, item]) =>
    `${block(item, str(key))}\n`
  );
  return `<${name} ${str(of)}>\n${lines.join("")}</${name}>\n`;
}

function ofMap(entries: [unknown, unknown][], of: unknown, name: string): string {
  if (of === undefined) {
    throw pythonError(
      "SaltException",
      `Apache section container "<${name}>" expects attribute. Specify it using key "this".`,
    );
  }
  const lines = entries
    .filter(([key, item]) => key !== "this" && (typeof item === "string" || Array.isArray(item) || isMap(item)))
    .map(([key, item]) => `${block(item, str(key))}\n`);
  return `<${name} ${str(of)}>\n${lines.join("")}</${name}>\n`;
}

/** The text of a configuration: a list of maps, of which each has one directive or section. */
export function configurationText(config: unknown): string {
  const entries = Array.isArray(config) ? config.filter(isMap) : [];
  return entries.map((entry) => {
    const [key, value] = entriesOf(entry)[0]!;
    return block(value, str(key));
  }).join("\n");
}
