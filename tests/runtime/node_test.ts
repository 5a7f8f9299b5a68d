import { realRuntimeContracts } from "./contracts.ts";

await realRuntimeContracts("node", async () => (await import("../../src/runtime/node/mod.ts")).nodeRuntime());
