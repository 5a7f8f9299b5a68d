/** URLs whose parts come from callers. */

// Separators, the start of a query or a fragment, and control characters.
// deno-lint-ignore no-control-regex
const SEPARATES = /[/\\?#\x00-\x1f\x7f-\x9f]/;
/** An encoded character: a proxy that decodes a second time would change the URL's meaning. */
const ENCODED = /%[0-9a-f]{2}/i;

/**
 * A value as one segment of a URL's path, encoded.
 *
 * Encoding alone is not enough: URL parsers resolve `..` before a request is sent, `%2e%2e` too, and servers decode `%2f`.
 *
 * @throws {RangeError} for text that could be more than one segment, or another: empty text, `.`, `..`, separators, control
 *   characters, and text that looks encoded
 */
export function urlSegment(value: string): string {
  const dots = value === "" || value === "." || value === "..";
  if (dots || SEPARATES.test(value) || ENCODED.test(value) || !value.isWellFormed()) {
    throw new RangeError(`Cannot use ${JSON.stringify(value)} as a segment of a URL: expected plain text`);
  }
  return encodeURIComponent(value);
}

/** A URL that all requests must stay below. */
export class UrlBase {
  readonly #base: string;

  /** @throws {TypeError} if `base` is not an HTTP or HTTPS URL, or has a user, a query or a fragment */
  constructor(base: string) {
    const url = URL.canParse(base) ? new URL(base) : undefined;
    const plain = url !== undefined && /^https?:$/.test(url.protocol) &&
      url.username === "" && url.password === "" && url.search === "" && url.hash === "";
    if (!plain) {
      throw new TypeError("Cannot use the URL: expected http:// or https://, without user, query or fragment");
    }
    this.#base = url.href.replace(/\/+$/, "");
  }

  get origin(): string {
    return new URL(this.#base).origin;
  }

  /**
   * The URL of a path below the base, given by its segments, each of which is checked and encoded.
   *
   * @throws {RangeError} see {@link urlSegment}
   */
  at(...segments: readonly string[]): string {
    return `${this.#base}/${segments.map(urlSegment).join("/")}`;
  }
}
