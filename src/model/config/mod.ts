/** Salt's options: the tables of them, and how files, includes and command lines set them. */
export * from "./durability.ts";
export * from "./given.ts";
export * from "./load.ts";
export * from "./master_opts.ts";
export * from "./minion_opts.ts";
export * from "./option.ts";
export * from "../../base/paths.ts";
export * from "./url.ts";
export * from "./review.ts";
export * from "./salt_defaults.ts";
export * from "./salt_options.ts";
