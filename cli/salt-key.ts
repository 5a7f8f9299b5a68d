#!/usr/bin/env -S node
import "./compile_cache.ts";
import { keyMain } from "./key_program.ts";
import { runProgram } from "./program.ts";

await runProgram("salt-key", keyMain);
