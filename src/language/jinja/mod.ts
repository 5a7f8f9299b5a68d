/**
 * The template language Jinja2, without Salt's additions: reading templates, running them in a sandbox, Jinja2's own filters,
 * tests and functions. Values are Python's (`src/language/python`). A template can only reach the values that it is given: attributes come from
 * tables, never from JavaScript's objects.
 */
export * from "./attributes.ts";
export * from "./budget.ts";
export * from "./callable.ts";
export * from "./compile_template.ts";
export { then } from "./compiled.ts";
export * from "./errors.ts";
export { filter } from "./filters/filter.ts";
export { SEQUENCE_FILTERS } from "./filters/sequences.ts";
export { softText, TEXT_FILTERS, textOnly } from "./filters/text.ts";
export { TESTS } from "./filters/tests.ts";
export * from "./globals.ts";
export * from "./group_tuple.ts";
export { errorPlace } from "./located_error.ts";
export * from "./lazy.ts";
export * from "./markup.ts";
export { contains } from "./operators.ts";
export { updateDict } from "./methods/dict.ts";
export { capitalized } from "./methods/text.ts";
export { formatDateTime } from "./methods/text_format.ts";
export type { DataFormat } from "./nodes.ts";
export * from "./options.ts";
export * from "./template_uses.ts";
export { runTemplate } from "./run_template.ts";
export type { CompiledTemplate, Filter, JinjaEnvironment, Run, SourceFile, Test, Unit } from "./runtime.ts";
export { bind } from "./signature.ts";
export * from "./undefined.ts";
