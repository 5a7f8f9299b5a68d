// The first import of every program: Node stores its compiled code, so that the next start reads code instead of compiling it.
// Built-in modules by function: an import of one would read all that it exports, and load what nothing needs.
import { builtin } from "../src/runtime/node/builtin.ts";
import { codeDirectory } from "./code_directory.ts";
import { isBundled } from "./v8_flags.ts";

function keepCompiledCode(): void {
  // Bun compiles without one, and would only load the module; Deno has no such function.
  if (process.versions.bun !== undefined || isBundled()) return;
  const { enableCompileCache } = builtin("node:module") as { enableCompileCache?: (directory: string) => void };
  const directory = enableCompileCache && codeDirectory();
  if (directory !== undefined) enableCompileCache!(directory);
}

keepCompiledCode();
