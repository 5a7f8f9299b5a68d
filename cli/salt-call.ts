#!/usr/bin/env -S node --max-semi-space-size=1
import "./daemon/no_inspector.ts";
import "./late_optimizing_bun.ts";
import "./compile_cache.ts";

// Dynamic imports, because modules of static imports would be compiled before the cache is set.
const [{ runProgram }, { callMain }] = await Promise.all([
  import("./program/run_program.ts"),
  import("./programs/call.ts"),
]);
await runProgram("salt-call", callMain);
