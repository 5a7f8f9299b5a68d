import { compileBody } from "./compile_statement.ts";
import { parseTemplate } from "./parser.ts";
import type { CompiledTemplate, Environment, SourceFile } from "./runtime.ts";

/**
 * Makes a template ready to run; it can be run many times.
 *
 * @throws {TemplateSyntaxError} with Jinja2's text
 */
export function compileTemplate(
  name: string,
  file: SourceFile,
  environment: Pick<Environment, "options" | "filters" | "tests" | "steady">,
): CompiledTemplate {
  const { filters, tests, options, steady } = environment;
  const node = parseTemplate(file.source, options);
  const compiler = { filters, tests, steady, isSoft: false, inLoop: false };
  const blocks = new Map(
    Array.from(
      node.blocks,
      ([block, { body, required }]) => [block, { execute: compileBody(body, compiler), required }],
    ),
  );
  return { name, file, body: compileBody(node.body, compiler), blocks };
}
