import { describe } from "node:test";
import { cryptoContract } from "../contract/crypto_contract.ts";
import { libcryptoContract } from "../contract/libcrypto_contract.ts";
import { realRuntimeContracts } from "./contracts.ts";

await realRuntimeContracts("bun", async () => (await import("../../src/runtime/bun/bun_runtime.ts")).bunRuntime());

if ("Bun" in globalThis) {
  const { bunCrypto } = await import("../../src/runtime/bun/bun_runtime.ts");
  const { openBunLibcrypto: openLibcrypto } = await import("../../src/runtime/bun/libcrypto.ts");
  const library = openLibcrypto();
  cryptoContract("bun without libcrypto", () => bunCrypto(() => undefined, 0));

  describe("libcrypto", { skip: library === undefined ? "no OpenSSL 3 that may be called" : false }, () => {
    if (library === undefined) return;
    cryptoContract("bun with libcrypto", () => bunCrypto(() => library, 0));
    libcryptoContract(bunCrypto(() => undefined, 0), (one) => bunCrypto(() => one, 0), library);
  });
}
