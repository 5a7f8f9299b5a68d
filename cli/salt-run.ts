#!/usr/bin/env -S node
import "./compile_cache.ts";
import { runMain } from "./run_program.ts";
import { runProgram } from "./program.ts";

await runProgram("salt-run", runMain);
