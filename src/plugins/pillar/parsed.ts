import type { PillarContext } from "../../model/loader/ext_pillar.ts";
import { messageOf } from "../../base/errors.ts";
import { parseOrderedJson } from "../../language/python/json.ts";

type Format = "json" | "yaml";

/**
 * Parses the data of an external pillar. It is never rendered as a template.
 *
 * @param source where it comes from, for the message
 * @throws {Error} if it is not in that format; only the position is logged, never the text
 */
export async function parsed(
  context: Pick<PillarContext, "log">,
  text: string,
  format: Format,
  source: string,
): Promise<unknown> {
  if (text.trim() === "") return {};
  try {
    if (format === "json") return parseOrderedJson(text);
    const { parseOrderedYaml } = await import("../../language/yaml/ordered.ts");
    return parseOrderedYaml(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    context.log.error("external pillar cannot be read", { format, error: messageOf(error) });
    throw new Error(`${source} did not return ${format.toUpperCase()}`, { cause: error });
  }
}
