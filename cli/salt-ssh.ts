#!/usr/bin/env -S node
import "./daemon/no_inspector.ts";
import "./late_optimizing_bun.ts";
import "./compile_cache.ts";

const [{ runProgram }, { sshMain }] = await Promise.all([
  import("./program/run_program.ts"),
  import("./programs/ssh.ts"),
]);
await runProgram("salt-ssh", sshMain);
