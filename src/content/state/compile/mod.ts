/** SLS files and top files to low chunks in order. What is rendered, and who matches, is for others to know: it is passed in. */
export { CompileLimitError } from "./allowance.ts";
export * from "./compile_high.ts";
export { applyExcludes } from "./exclude.ts";
export { applyExtend, type ExtendOptions } from "./extend.ts";
export { type OpenHigh, openHigh } from "./high.ts";
export { LowChunkError, type LowChunkOptions, lowChunksOf } from "./low_chunks.ts";
export { applyRequisitesIn, type RequisitesInOptions } from "./requisites_in.ts";
export { verifyHigh } from "./verify_high.ts";
export { highOfTemplate } from "./single_template.ts";
export type { Matches, RenderFile } from "./sls_reader.ts";
export * from "./state_compiler.ts";
export type { FetchedSls, StateSource } from "./state_files.ts";
export { type Top, TopFileError, verifyTop } from "./top_files.ts";
export type { MatchTarget, TopMatches } from "./top_matches.ts";
export { type CompilerHost, openStateCompiler } from "./open_compiler.ts";
