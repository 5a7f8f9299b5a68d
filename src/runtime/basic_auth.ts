/** The value of `Authorization` and `Proxy-Authorization` for a user (RFC 7617), in UTF-8. */
export function basicAuth(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

/** Decodes `%40` and the like. A text with a `%` that encodes nothing stays as it is: somebody has written a password literally. */
export function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Removes user and password from an address: they are sent in a header, and no log shows them.
 *
 * @returns the value of `Authorization`; undefined if the address has no user
 */
export function takeUser(url: URL): string | undefined {
  const { username, password } = url;
  url.username = url.password = "";
  return username === "" && password === "" ? undefined : basicAuth(decodedPart(username), decodedPart(password));
}
