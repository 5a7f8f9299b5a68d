/** Calls of execution modules whose outcome must be that of real Salt, by module. */
import { DATA } from "./data.ts";
import { ENVIRON } from "./environ.ts";
import { FILE } from "./file.ts";
import { HASHUTIL } from "./hashutil.ts";
import { RANDOM } from "./random.ts";
import type { CallScenario } from "./scenario.ts";

export const SALT_CALLS: Record<string, CallScenario[]> = {
  data: DATA,
  environ: ENVIRON,
  file: FILE,
  hashutil: HASHUTIL,
  random: RANDOM,
};
