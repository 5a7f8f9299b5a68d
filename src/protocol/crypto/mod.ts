/**
 * Salt's cryptography: authenticated encryption, RSA operations and key files, on the primitives of `runtime/crypto.ts`.
 * All of it works on bytes and knows nothing of the messages in them.
 */
export * from "./crypticle.ts";
export * from "./hex.ts";
export * from "./rsa.ts";
export * from "./rsa_key.ts";
export * from "./unix_crypt.ts";
export * from "./x931.ts";
