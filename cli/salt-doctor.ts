#!/usr/bin/env -S node
import "./daemon/no_inspector.ts";
import "./late_optimizing_bun.ts";
import "./compile_cache.ts";

const [{ runProgram }, { doctorMain }] = await Promise.all([
  import("./program/run_program.ts"),
  import("./programs/doctor.ts"),
]);
await runProgram("salt-doctor", doctorMain);
