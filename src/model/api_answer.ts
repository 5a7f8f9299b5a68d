/** Reads the answers of a salt-api, Brine's or real Salt's: for the client of programs and for the web console. */
import { isRecord } from "../base/record.ts";

/** Characters that are shown of an answer that is neither JSON nor HTML. */
const MAX_PLAIN_CHARACTERS = 1000;

/** The message of an error: servers answer with a page, `<p>message</p>`, or with `{"return": "message"}`. */
export function messageIn(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRecord(parsed)) {
      const { return: said, message, error } = parsed;
      for (const one of [said, message, error]) if (typeof one === "string") return one;
    }
  } catch {
    // The answer is not JSON: it is an HTML page or plain text.
  }
  return paragraphIn(text).replaceAll("&#x27;", "'").replaceAll("&#39;", "'").replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&").trim();
}

/** The first paragraph of an HTML page, or the beginning of a plain text. */
function paragraphIn(text: string): string {
  const begin = text.indexOf("<p>");
  const end = begin < 0 ? -1 : text.indexOf("</p>", begin);
  if (end >= 0) return text.slice(begin + 3, end);
  return text.includes("<html") ? "" : text.slice(0, MAX_PLAIN_CHARACTERS);
}

/**
 * True if a 401 means that the user lacks a permission; false if nobody is logged in. salt-api uses one status for both.
 *
 * @see tests/golden-api/cp-perm-none.json
 */
export const saysForbidden = (message: string): boolean => /Authorization error|occurred for user/.test(message);

/** The event in a message of `GET /events`; undefined for any other message, which must not end the stream. */
export function eventIn(text: string): { tag: string; data: Record<string, unknown> } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || typeof value.tag !== "string") return undefined;
    return { tag: value.tag, data: isRecord(value.data) ? value.data : { data: value.data } };
  } catch {
    return undefined;
  }
}
