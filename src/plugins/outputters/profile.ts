export function profile(): string { throw new TypeError(); }
