import { enabling } from "./apache/enabling.ts";

/** Modules of Debian's Apache. */
export const states = enabling({ word: "mod", title: "module" });
