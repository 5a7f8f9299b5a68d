/** URLs whose parts come from somebody else. */

// A separator, the start of a query or a fragment, or a control character.
// deno-lint-ignore no-control-regex
const SEPARATES = /[/\\?#\x00-\x1f\x7f-\x9f]/;
/** What a second decoding, by a proxy on the way, would turn into something else. */
const ENCODED = /%[0-9a-f]{2}/i;

/**
 * A value as one segment of a URL's path, encoded.
 *
 * Encoding alone is not enough: URL parsers resolve `..` before a request is sent, `%2e%2e` too, and servers decode `%2f`.
 *
 * @throws {RangeError} for what could be more, or other, than one segment: empty text, `.`, `..`, separators, control
 *   characters, and what looks encoded already
 */
export function urlSegment(value: string): string {
  const dots = value === "" || value === "." || value === "..";
  if (dots || SEPARATES.test(value) || ENCODED.test(value) || !value.isWellFormed()) {
    throw new RangeError(`Cannot use ${JSON.stringify(value)} as a segment of a URL: expected plain text`);
  }
  return encodeURIComponent(value);
}

/** An address below which all requests stay. */
export class UrlBase {
  readonly #base: string;

  /** @throws {TypeError} if it is no address of a web server, or has a user, a query or a fragment */
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
   * The address of a path below the base. Segments are the only way to name one, and each is checked and encoded here.
   *
   * @throws {RangeError} see {@link urlSegment}
   */
  at(...segments: readonly string[]): string {
    return `${this.#base}/${segments.map(urlSegment).join("/")}`;
  }
}
