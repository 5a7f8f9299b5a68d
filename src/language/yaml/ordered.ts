import { construct, ConstructError } from "./construct.ts";
import { compose } from "./libyaml/compose.ts";
import { YamlProblem } from "./libyaml/yaml_problem.ts";
import { parseSimpleYaml } from "./simple.ts";
import { TOO_DEEP, YamlError } from "./yaml_error.ts";

/**
 * Reads a YAML document as libyaml and PyYAML do, by the rules of Salt's loader, with every map an `OrderedMap`: for data that is
 * printed in the order it was written, such as states and pillar.
 *
 * @throws {YamlError} if the text is not one valid YAML document, or has more values than the limit
 */
export function parseOrderedYaml(text: string): unknown {
  const simple = parseSimpleYaml(text, { ordered: true });
  if (simple !== undefined) return simple.value;
  try {
    return construct(compose(text), { ordered: true });
  } catch (error) {
    if (error instanceof YamlProblem) throw YamlError.at(text, error.problem, error.at ?? 0, error);
    if (error instanceof ConstructError) throw YamlError.at(text, error.message, error.offset ?? 0, error);
    if (error instanceof RangeError) throw YamlError.at(text, TOO_DEEP, 0, error);
    throw error;
  }
}
