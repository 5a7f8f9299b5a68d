#!/usr/bin/env -S node
import "./compile_cache.ts";
import { callMain } from "./call_program.ts";
import { runProgram } from "./program.ts";

await runProgram("salt-call", callMain);
