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

/** Reads the options of addresses and connections into the form that sockets take. */

/**
 * The addresses that a master listens on, from the option `interface`, a text or a list; clients on the same host use the
 * first.
 */
export function interfacesOf(value: unknown): string[] {
  const named = [value].flat().map((one) => String(one).trim().replace(/^\[(.*)\]$/, "$1")).filter((one) => one !== "");
  return named.length === 0 ? ["0.0.0.0"] : [...new Set(named)];
}

/** The option `ipv6`: 6 prefers IPv6, 4 means IPv4 only, undefined leaves the order to the system. */
export function familyOf(value: unknown): 4 | 6 | undefined {
  return value === true ? 6 : value === false ? 4 : undefined;
}

/**
 * The options `tcp_keepalive` and `tcp_keepalive_idle`: seconds before the first probe; 0 for the system's default, false for
 * no keepalive.
 */
export function keepAliveOf(opts: { tcp_keepalive: boolean; tcp_keepalive_idle: number }): number | false {
  return opts.tcp_keepalive ? Math.max(0, opts.tcp_keepalive_idle) : false;
}
