/**
 * A module of Node itself, read at once. `import` reads whatever a module exports first: `node:fs` then loads its promises and
 * the editor of lines, `node:crypto` the one of the web, and a command starts a tenth later.
 */
export const builtin: typeof process.getBuiltinModule = process.getBuiltinModule.bind(process);
