#!/usr/bin/env -S node
import "./daemon/no_inspector.ts";
import "./compile_cache.ts";

// Dynamic imports, because modules of static imports would be compiled before the cache is set.
const [{ runProgram }, { apiMain }] = await Promise.all([
  import("./program/run_program.ts"),
  import("./programs/api.ts"),
]);
await runProgram("salt-api", apiMain);
