/** PostgreSQL has no text with a NUL. */
export const toText = (value: string): string => value.replaceAll("\0", "\ufffd");

/** What the index holds of a word, which may be longer. */
export const indexedWord = (word: string): string => Array.from(toText(word)).slice(0, 500).join("");
