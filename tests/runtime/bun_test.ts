import { realRuntimeContracts } from "./contracts.ts";

await realRuntimeContracts("bun", async () => (await import("../../src/runtime/bun/bun_runtime.ts")).bunRuntime());
