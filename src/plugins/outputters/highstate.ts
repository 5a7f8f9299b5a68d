export function highstate(): string { throw new TypeError(); }
