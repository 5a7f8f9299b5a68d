import { compileBody } from "./compile_statement.ts";
import { TemplateSyntaxError } from "./errors.ts";
import { parseTemplate } from "./parser.ts";
import type { CompiledTemplate, JinjaEnvironment, SourceFile } from "./runtime.ts";

/** Compiles a template, which can then run many times. @throws {TemplateSyntaxError} with Jinja2's text */
export function compileTemplate(
  name: string,
  file: SourceFile,
  environment: Pick<JinjaEnvironment, "options" | "filters" | "tests" | "steady">,
): CompiledTemplate {
  try {
    return compile(name, file, environment);
  } catch (error) {
    if (error instanceof TemplateSyntaxError) error.file = file;
    throw error;
  }
}

function compile(name: string, file: SourceFile, environment: Parameters<typeof compileTemplate>[2]): CompiledTemplate {
  const { filters, tests, options, steady } = environment;
  const node = parseTemplate(file.source, options);
  const compiler = { filters, tests, steady, isSoft: false, inLoop: false, autoescape: options.autoescape };
  const blocks = new Map(
    Array.from(
      node.blocks,
      ([block, { body, required }]) => [block, { execute: compileBody(body, compiler), required }],
    ),
  );
  return { name, file, body: compileBody(node.body, compiler), blocks, bytes: bytesOf(file.source, node.tokens) };
}

/** The most memory that the closures of a token take on average, in bytes; measured on V8 with templates of short tokens. */
const TOKEN_BYTES = 128;
/** The memory of the smallest template, in bytes. */
const LEAST_BYTES = 512;

function bytesOf(source: string, tokens: number): number {
  return LEAST_BYTES + 2 * source.length + TOKEN_BYTES * tokens;
}
