/** Salt's options, and how files, includes and command lines become them. */
export * from "./load.ts";
export * from "./master_opts.ts";
export * from "./minion_opts.ts";
export * from "./option.ts";
export * from "./paths.ts";
