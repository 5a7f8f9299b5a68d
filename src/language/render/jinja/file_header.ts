import { entriesOf, isMap } from "../../python/values.ts";
import { JsonError, parseOrderedJson } from "../../python/json.ts";

const HEADER = "#jinja2:";

/** A template without its header, and the options of the header. */
interface HeadedTemplate {
  source: string;
  options: Map<unknown, unknown> | undefined;
}

/**
 * Removes the line `#jinja2: {"trim_blocks": true}` at the start of a template, or after its `#!` line. A line without a valid
 * map stays in the text.
 */
export function takeHeader(source: string): HeadedTemplate {
  // Nearly every template has no header.
  if (!/^(?:#!(?!\/)[^\r\n]*(?:\r\n|[\r\n]))?#jinja2:/.test(source)) return { source, options: undefined };
  const lines = source.match(/[^\r\n]*(?:\r\n|[\r\n]|$)/g) ?? [];
  const at = lines[0]?.startsWith("#!") && !lines[0].startsWith("#!/") ? 1 : 0;
  const line = lines[at];
  if (line === undefined || !line.startsWith(HEADER) || line.slice(HEADER.length).trim() === "") {
    return { source, options: undefined };
  }
  try {
    const options = parseOrderedJson(line.slice(HEADER.length).trim());
    if (!isMap(options)) return { source, options: undefined };
    lines.splice(at, 1);
    return { source: lines.join(""), options: new Map(entriesOf(options)) };
  } catch (error) {
    if (error instanceof JsonError) return { source, options: undefined };
    throw error;
  }
}
