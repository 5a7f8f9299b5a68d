import type { Crypto } from "../crypto.ts";
import { nodeCrypto } from "../node/crypto.ts";
import { type Libcrypto, rsaByLibcrypto } from "../node/libcrypto.ts";
import { openLibcrypto } from "./libcrypto.ts";

/** The operations with RSA keys that Bun does itself: a minion or a command needs only a few, and loading the library takes 9 ms. */
const FEW = 8;

/**
 * The primitives on Bun: Node's, but for RSA by OpenSSL of the host if it is installed, which takes half the time.
 *
 * @param open finds the library. Called once
 */
export function bunCrypto(open: () => Libcrypto | undefined = openLibcrypto, few = FEW): Crypto {
  const node = nodeCrypto();
  let library: Libcrypto | null | undefined;
  let left = few;
  return {
    ...node,
    ...rsaByLibcrypto(node, () => {
      if (left > 0) left--;
      else if (library === undefined) library = open() ?? null;
      return library ?? undefined;
    }),
    // By Bun itself on another thread: the library would do it on the event loop.
    pkcs1SignAsync: node.pkcs1SignAsync,
  };
}
