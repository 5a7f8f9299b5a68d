import { denoCrypto } from "../../src/runtime/deno/crypto.ts";
import { nodeCrypto } from "../../src/runtime/node/crypto.ts";
import { cryptoContract } from "../contract/crypto_contract.ts";

cryptoContract("node", nodeCrypto, {
  aes192Cbc: "Deno" in globalThis ? "node:crypto of Deno lacks aes-192-cbc" : undefined,
});
// Away from Deno this finds the cipher and is Node's own; there it is the fallback.
cryptoContract("deno", denoCrypto);
