#!/usr/bin/env -S node
import "./daemon/no_inspector.ts";
import "./late_optimizing_bun.ts";
import "./compile_cache.ts";

// Dynamic imports, because modules of static imports would be compiled before the cache is set.
const [{ runProgram }, { saltCpMain }] = await Promise.all([
  import("./program/run_program.ts"),
  import("./programs/salt_cp.ts"),
]);
await runProgram("salt-cp", saltCpMain);
