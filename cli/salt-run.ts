#!/usr/bin/env -S node
import "./daemon/no_inspector.ts";
import "./compile_cache.ts";

// Not imported above: that would be compiled before the cache is there.
const [{ runProgram }, { runMain }] = await Promise.all([
  import("./program/run_program.ts"),
  import("./programs/run.ts"),
]);
await runProgram("salt-run", runMain);
