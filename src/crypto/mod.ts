/**
 * Bytes to bytes: the sealed box, the RSA operations and the key files of Salt, on the primitives of `runtime/crypto.ts`.
 * Nothing here knows what a message means.
 */
export * from "./crypticle.ts";
export * from "./hex.ts";
export * from "./rsa.ts";
export * from "./rsa_key.ts";
export * from "./unix_crypt.ts";
export * from "./x931.ts";
