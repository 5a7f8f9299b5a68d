/**
 * What a minion is told that others are not: top files choose SLS files by target, those and external pillars are laid over
 * each other. Under both hosts, for a minion without a master compiles its own.
 */
export * from "./compiler.ts";
export * from "../../language/python/merge_strategy.ts";
export * from "./packed_pillar.ts";
export * from "./pillar_cache.ts";
export * from "./pillar_workers.ts";
export * from "./top.ts";
