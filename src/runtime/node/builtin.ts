/**
 * Loads a module of Node without evaluating all its exports. `import` evaluates them: `node:fs` then loads its promises and
 * `node:readline`, `node:crypto` loads Web Crypto, and a command takes a tenth longer to start.
 */
export const builtin: typeof process.getBuiltinModule = process.getBuiltinModule.bind(process);
