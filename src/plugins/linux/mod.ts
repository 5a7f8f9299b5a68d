/** Files of a Unix system that plugins of several families read: accounts, programs, paths; and a shell's words. */
export * from "./accounts.ts";
export * from "./paths.ts";
export * from "./programs.ts";
export * from "./words.ts";
