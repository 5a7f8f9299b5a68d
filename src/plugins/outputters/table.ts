export function table(): string { throw new TypeError(); }
