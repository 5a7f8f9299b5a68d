/** What a Unix system says of itself in files: accounts, programs, words. Plugins of several families read it. */
export * from "./accounts.ts";
export * from "./paths.ts";
export * from "./programs.ts";
export * from "./words.ts";
