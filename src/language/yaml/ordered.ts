import { readDocument } from "./document.ts";

/**
 * As `parseYaml()`, with every map an `OrderedMap`: for data that is printed in the order it was written, such as states and pillar.
 *
 * @throws {YamlError} if the text is not one valid YAML document, or has more values than the limit
 */
export function parseOrderedYaml(text: string): unknown {
  return readDocument(text, { ordered: true }).value;
}
