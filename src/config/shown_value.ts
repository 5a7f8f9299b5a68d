import { withoutSecrets } from "./secret.ts";

/** Values within a map or a list that are shown, and characters of a text. */
const MOST_VALUES = 20;
const MOST_CHARACTERS = 200;

/** A wrong value of an option, for a message: without secrets, and short however large or circular the value is. */
export function shownValue(option: string, value: unknown): string {
  let left = MOST_VALUES;
  const write = (value: unknown): string => {
    if (left-- <= 0) return "…";
    if (typeof value === "string") {
      return JSON.stringify(value.length > MOST_CHARACTERS ? `${value.slice(0, MOST_CHARACTERS)}…` : value);
    }
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
      parts.push(`${JSON.stringify(String(name).slice(0, MOST_CHARACTERS))}:${write(hidden(String(name), item))}`);
      if (left <= 0) break;
    }
    return `{${parts.join(",")}}`;
  };
  return write(hidden(option, value));
}

/** A value of one level with its secret hidden; deeper levels are looked at when they are written. */
function hidden(name: string, value: unknown): unknown {
  if (typeof value === "string" || typeof value === "number") {
    return (withoutSecrets({ [name]: value }) as Record<string, unknown>)[name];
  }
  return value;
}
