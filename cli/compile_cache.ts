// The first import of every program: Node keeps what it compiled, so that the next start reads instead of compiling.
// Deno's `node:module` does not export the function, which a named import would not survive.
import * as module from "node:module";

(module as { enableCompileCache?: () => void }).enableCompileCache?.();
