import { enabling } from "./apache/enabling.ts";

/** Configurations of Debian's Apache. */
export const states = enabling({ word: "conf", title: "conf" });
