/** What a program on the master's host calls to run jobs and to hear of them. */
export * from "./local.ts";
