import { enabling } from "./apache/enabling.ts";

/** Sites of Debian's Apache. */
export const states = enabling({ word: "site", title: "site" });
