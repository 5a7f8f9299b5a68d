/** What the answers of a salt-api say, Brine's or real Salt's: for the client of programs and for the web console. */
import { isRecord } from "../base/record.ts";

/** Characters of an answer that is no page. */
const MOST_PLAIN = 1000;

/** The message of an error: servers answer with a page, `<p>message</p>`, or with `{"return": "message"}`. */
export function messageIn(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRecord(parsed)) {
      const { return: said, message, error } = parsed;
      for (const one of [said, message, error]) if (typeof one === "string") return one;
    }
  } catch {
    // Not JSON: a page.
  }
  return paragraphIn(text).replaceAll("&#x27;", "'").replaceAll("&#39;", "'").replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&").trim();
}

/** The first paragraph of a page, or the beginning of what is none. */
function paragraphIn(text: string): string {
  const begin = text.indexOf("<p>");
  const end = begin < 0 ? -1 : text.indexOf("</p>", begin);
  if (end >= 0) return text.slice(begin + 3, end);
  return text.includes("<html") ? "" : text.slice(0, MOST_PLAIN);
}

/**
 * Whether a 401 means that the user may not do this, rather than that nobody is logged in: one status stands for both.
 *
 * @see tests/golden-api/cp-perm-none.json
 */
export const saysForbidden = (message: string): boolean => /Authorization error|occurred for user/.test(message);

/** An event in the data of a message of `GET /events`; undefined if it is none: other words must not end the stream. */
export function eventIn(text: string): { tag: string; data: Record<string, unknown> } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || typeof value.tag !== "string") return undefined;
    return { tag: value.tag, data: isRecord(value.data) ? value.data : { data: value.data } };
  } catch {
    return undefined;
  }
}
