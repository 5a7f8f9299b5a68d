#!/usr/bin/env -S node
import "./daemon/no_inspector.ts";
import "./late_optimizing_bun.ts";
import "./compile_cache.ts";

// Dynamic imports, because modules of static imports would be compiled before the cache is set.
const [{ runProgram }, { saltMain }] = await Promise.all([
  import("./program/run_program.ts"),
  import("./programs/salt.ts"),
]);
await runProgram("salt", saltMain);
