/** What a Unix system says of itself in files: accounts and programs. Plugins of several families read it. */
export * from "./accounts.ts";
export * from "./programs.ts";
