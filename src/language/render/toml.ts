import { OrderedMap, toFloat, toInteger } from "../python/values.ts";
import { RenderError } from "./render_error.ts";
import type { Renderer } from "./renderer.ts";

/** The most characters of a text, and the most levels of nesting. */
const MAX_CHARACTERS = 16 * 1024 * 1024;
const MAX_DEPTH = 100;

/** A text is not valid TOML. The message does not quote the text. */
export class TomlProblem extends SyntaxError {
  override name = "TomlProblem";
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number, options?: ErrorOptions) {
    super(message, options);
    this.line = line;
    this.column = column;
  }
}

/** Reads TOML: tables keep their order, and dates are text, as in YAML here. @throws {TomlProblem} */
export async function parseToml(text: string): Promise<OrderedMap> {
  if (text.length > MAX_CHARACTERS) throw new TomlProblem(`it has more than ${MAX_CHARACTERS} characters`, 1, 1);
  const { parse, TomlError, TomlDate } = await import("smol-toml");
  const valueOf = (value: unknown): unknown => {
    if (typeof value === "bigint") return toInteger(value);
    if (typeof value === "number") return toFloat(value);
    if (value instanceof TomlDate) return value.toISOString().replace(/\.000(?=Z|[+-]|$)/, "");
    if (Array.isArray(value)) return value.map(valueOf);
    return typeof value === "object" && value !== null ? tableOf(value) : value;
  };
  const tableOf = (table: object) => new OrderedMap(Object.entries(table).map(([key, value]) => [key, valueOf(value)]));
  try {
    return tableOf(parse(text, { maxDepth: MAX_DEPTH, integersAsBigInt: true }));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const said = error.message.split("\n", 1)[0]!.replace(/^Invalid TOML document: /, "");
    throw new TomlProblem(said, error.line, error.column, { cause: error });
  }
}

/** The renderer for TOML. Input that is not text is the data of an earlier renderer, and is returned unchanged. */
export function toml(): Renderer {
  return async (input, { path }) => {
    if (typeof input !== "string") return input;
    try {
      return await parseToml(input);
    } catch (error) {
      if (!(error instanceof TomlProblem)) throw error;
      const { line, column, message } = error;
      const text = `${message} (line ${line} column ${column})`;
      throw new RenderError(path, message, { line, column }, { cause: error, isForeign: true, text });
    }
  };
}
