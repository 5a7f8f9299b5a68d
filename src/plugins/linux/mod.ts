/** Files of a Unix system that plugins of several families read: programs, paths; and a shell's words. */
export * from "./paths.ts";
export * from "./programs.ts";
export * from "./words.ts";
