/**
 * Text to data: the pipelines that SLS files and tops go through, `#!jinja|yaml`. A renderer is an entry of a table by its
 * name; what is rendered, and what becomes of the data, is for others to know.
 */
export { DecryptError, type Decryption, decryptionOf, decryptValue } from "./decrypt.ts";
export { type GpgRun, runGpg } from "./gpg_program.ts";
export { type GpgOptions, gpgOptionsOf } from "./gpg_options.ts";
export * from "./host_values.ts";
export * from "./pipeline.ts";
export * from "./render_error.ts";
export type * from "./renderer.ts";
export * from "./renderers.ts";
export { templateLimitsOf } from "./jinja/limits_of.ts";
export { jinjaOptionsOf } from "./jinja/options_of.ts";
export { type FunctionTable, SaltFunctionError, SaltFunctions } from "./jinja/salt_functions.ts";
export type { TemplateFile, TemplateLoader } from "./jinja/environment.ts";
