import { LINE_VALUES, YamlBudget } from "./budget.ts";
import { construct } from "./construct.ts";
import { compose } from "./libyaml/compose.ts";
import { YamlProblem } from "./libyaml/yaml_problem.ts";

// Matches characters that YAML 1.1 does not allow in a line.
const UNPRINTABLE = /[^\t\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * Reads the value of one line, such as a word of a command. An empty line or a bare comment is null.
 *
 * @param budget the limit of values, shared between words of one request. Reading and building a value both count. @default 100000 values
 * @throws {SyntaxError} for a text that Salt's loader would refuse; {@link YamlLimitError} for more values than the limit
 */
export function parseLine(text: string, budget: YamlBudget = new YamlBudget(LINE_VALUES)): unknown {
  if (UNPRINTABLE.test(text)) throw new SyntaxError("Special characters are not allowed");
  try {
    const { root, isTree } = compose(text, budget);
    return construct(root, { budget, isTree });
  } catch (error) {
    if (error instanceof YamlProblem || error instanceof RangeError) {
      throw new SyntaxError(error.message, { cause: error });
    }
    throw error;
  }
}
