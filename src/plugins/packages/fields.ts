/** What dpkg and rpm tell of packages, in fields between signs that occur in none. */
const [FIELD_END, PACKAGE_END] = ["\x1f", "\x1e"];

/** The format by which they are asked for these fields. */
export const fieldFormat = (fields: readonly string[]): string => fields.join(FIELD_END) + PACKAGE_END;

/** The values of each package; what has another number of them is no package. */
export const fieldRows = (text: string, count: number): string[][] =>
  text.split(PACKAGE_END).map((row) => row.split(FIELD_END)).filter((values) => values.length === count);

/** Milliseconds since 1970 as a date. */
export const utcDate = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
