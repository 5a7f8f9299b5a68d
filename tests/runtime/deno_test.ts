import { realRuntimeContracts } from "./contracts.ts";

await realRuntimeContracts("deno", async () => (await import("../../src/runtime/deno/mod.ts")).denoRuntime());
