/** Names of secrets within options, and of settings that no table has, such as `auth.ldap.bindpw`. */
const SECRET =
  /(^|[._-])(sharedsecret|secret|secret_key|password|passwd|passphrase|pass|pw|bindpw|key_pass|token|authorization|api_?key|private_key|privkey)$/i;

/** `//user:password@` in a URL; also a password with characters that have to be written as %XX there, which is no port. */
const IN_URL = /(\/\/[^\s/:@[]*:)(?!\d*(?:[/?#]|$))[^\s"']*@/g;
/** A token in a URL: NATS takes a user without a password for a token. */
const TOKEN_IN_URL = /((?:nats|tls):\/\/)[^\s/:@]+@/g;

/** The text that is shown instead of a secret. */
export const HIDDEN = "** hidden **";

/**
 * Returns a configuration with its secrets hidden. All code that shows a master's options to a caller uses this function.
 *
 * @param secret names of options that are secret, whatever their names look like
 */
export function withoutSecrets(value: unknown, secret: readonly string[] = []): unknown {
  if (typeof value === "string") return withoutUrlSecrets(value);
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item));
  if (typeof value !== "object" || value === null) return value;
  const shown = ([name, item]: [unknown, unknown]): [unknown, unknown] => [
    // A git remote with options of its own is a map from its address.
    typeof name === "string" ? withoutUrlSecrets(name) : name,
    (SECRET.test(String(name)) || secret.includes(String(name))) && isValue(item) ? HIDDEN : withoutSecrets(item),
  ];
  if (value instanceof Map) return new Map([...value].map(shown));
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null) return value;
  return Object.fromEntries(Object.entries(value).map((entry) => shown(entry) as [string, unknown]));
}

const withoutUrlSecrets = (text: string) =>
  text.includes("//") ? text.replace(IN_URL, `$1${HIDDEN}@`).replace(TOKEN_IN_URL, `$1${HIDDEN}@`) : text;

/** True for a value that could be a secret: unset values are none, and the parts of a map are checked by their names. */
function isValue(item: unknown): boolean {
  if (item === "" || item === null || item === undefined || typeof item === "boolean") return false;
  return typeof item !== "object" || item instanceof Number || Array.isArray(item) || item instanceof Uint8Array;
}
