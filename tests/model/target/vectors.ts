import { readFileSync } from "node:fs";

/** Vectors recorded from Salt; `tests/vectors/README.md` tells how. */
// deno-lint-ignore no-explicit-any
export const vectors: any = JSON.parse(readFileSync(new URL("../../vectors/targets.json", import.meta.url), "utf8"));
