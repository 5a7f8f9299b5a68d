/** PostgreSQL has no text with a NUL, and none that is not Unicode: one such text would fail all that is saved beside it. */
export const toText = (value: string): string => value.replaceAll("\0", "\ufffd").toWellFormed();

/** What the index holds of a word, which may be longer. */
export const indexedWord = (word: string): string => Array.from(toText(word)).slice(0, 500).join("");
