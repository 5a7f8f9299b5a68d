/**
 * Loads a module of Node without evaluating all its exports. `import` evaluates them: `node:fs` then loads its promises and
 * `node:readline`, `node:crypto` loads Web Crypto, and a command takes a tenth longer to start.
 */
export const builtin: typeof process.getBuiltinModule = process.getBuiltinModule.bind(process);

/** A module of Node that is loaded when it is first used: `node:crypto` takes 5 ms, and many commands encrypt nothing. */
export const openssl = () => loaded ??= builtin("node:crypto");
let loaded: typeof import("node:crypto") | undefined;

/** A random UUID. Bun draws one without `node:crypto`; on Node, Web Crypto would load more. */
export const randomUuid = () =>
  process.versions.bun === undefined ? openssl().randomUUID() : globalThis.crypto.randomUUID();
