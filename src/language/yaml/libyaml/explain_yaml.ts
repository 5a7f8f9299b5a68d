import { construct, ConstructError } from "../construct.ts";
import { compose } from "./compose.ts";
import { YamlProblem, type YamlStage } from "./yaml_problem.ts";

/** The error of libyaml and PyYAML for a document. */
interface Explanation {
  stage: YamlStage;
  /** The problem, without places. */
  problem: string;
  /** The whole text, as `str()` of PyYAML's exception returns it. */
  text: string;
}

/**
 * The error of libyaml and PyYAML for a refused document; undefined if they accept the document, or if it is nested too deeply.
 *
 * @see yaml/error.py MarkedYAMLError
 */
export function explainYaml(text: string): Explanation | undefined {
  try {
    const { root, isTree } = compose(text);
    construct(root, { ordered: true, isTree });
    return undefined;
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) return undefined;
    return { stage: problem.stage, problem: problem.problem, text: withPlaces(problem, text) };
  }
}

function problemOf(error: unknown): YamlProblem | undefined {
  if (error instanceof YamlProblem) return error;
  if (!(error instanceof ConstructError)) {
    // The document is nested too deeply for the stack.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const { offset, said, within } = error;
  if (said === undefined) return undefined;
  const context = within === undefined ? undefined : { text: "while constructing a mapping", at: within.offset ?? 0 };
  return new YamlProblem("constructor", said, offset, context);
}

function withPlaces({ context, problem, at }: YamlProblem, text: string): string {
  const lines: string[] = [];
  if (context !== undefined) {
    lines.push(context.text);
    if (at === undefined || placeOf(text, context.at) !== placeOf(text, at)) lines.push(placeOf(text, context.at));
  }
  lines.push(problem);
  if (at !== undefined) lines.push(placeOf(text, at));
  return lines.join("\n");
}

function placeOf(text: string, at: number): string {
  const whole = at > text.length ? `${text}\n` : text;
  const before = whole.slice(0, at).split(/\r\n|[\n\r\x85\u2028\u2029]/);
  return `  in "<unicode string>", line ${before.length}, column ${[...before.at(-1)!].length + 1}`;
}
