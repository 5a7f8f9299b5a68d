/** Functions of plugins: how they are found, described and called, and the contexts that they are called with. */
export * from "./context.ts";
export * from "./custom.ts";
export * from "./eauth.ts";
export * from "./family.ts";
export * from "./function_catalog.ts";
export * from "./host_context.ts";
export * from "./loader.ts";
export * from "./signature.ts";
export * from "./streamed_map.ts";
export * from "./sync.ts";
export * from "./wheel.ts";
