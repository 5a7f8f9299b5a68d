/** How functions of plugins are found, described and called; and what they are given instead of their host. */
export * from "./context.ts";
export * from "./custom.ts";
export * from "./eauth.ts";
export * from "./family.ts";
export * from "./loader.ts";
export * from "./signature.ts";
export * from "./streamed_map.ts";
export * from "./sync.ts";
export * from "./wheel.ts";
