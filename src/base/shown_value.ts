import { withoutSecrets } from "./secret.ts";

/** The most values of a map or a list that are shown, and the most characters of a text. */
const MAX_VALUES = 20;
const MAX_CHARACTERS = 200;

/** A wrong value of an option, for a message: without secrets, and short however large or circular the value is. */
export function shownValue(option: string, value: unknown): string {
  let left = MAX_VALUES;
  const write = (value: unknown): string => {
    if (left-- <= 0) return "…";
    if (typeof value === "string") return JSON.stringify(shortened(value));
    if (typeof value !== "object" || value === null || value instanceof Number) return String(value);
    const parts: string[] = [];
    if (Array.isArray(value)) {
      for (const item of value) {
        parts.push(write(item));
        if (left <= 0) break;
      }
      return `[${parts.join(",")}]`;
    }
    for (const [name, item] of value instanceof Map ? value : Object.entries(value)) {
      parts.push(`${JSON.stringify(shortened(String(name)))}:${write(hidden(String(name), item))}`);
      if (left <= 0) break;
    }
    return `{${parts.join(",")}}`;
  };
  return write(hidden(option, value));
}

/** Cuts a long text. Secrets in an address are hidden before the cut: the pattern would not find half of a secret. */
function shortened(text: string): string {
  const shown = withoutSecrets(text.slice(0, MAX_CHARACTERS * 10)) as string;
  return shown.length > MAX_CHARACTERS ? `${shown.slice(0, MAX_CHARACTERS)}…` : shown;
}

/** Hides a value if it is a secret. Values inside a map are checked later, when they are written. */
function hidden(name: string, value: unknown): unknown {
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Number)) return value;
  // A list is secret by its name alone, so its items are not passed.
  const named = Array.isArray(value) ? [] : value;
  const [shown] = Object.values(withoutSecrets({ [name]: named }) as Record<string, unknown>);
  return Array.isArray(shown) ? value : shown;
}
