/** Options whose values are nobody's business, whatever they are part of. */
const SECRET =
  /(^|[._-])(sharedsecret|secret|secret_key|password|passwd|passphrase|pass|pw|bindpw|key_pass|token|api_?key|private_key|privkey)$/i;

/** `//user:password@` of an address. */
const IN_ADDRESS = /(\/\/[^\s/:@]*:)[^\s/@]+@/g;

const HIDDEN = "** hidden **";

/**
 * A configuration as it may be shown: what is secret in it is hidden. The one rule for all that shows options of a master,
 * to whoever may ask.
 */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === "string") return value.includes("//") ? value.replace(IN_ADDRESS, `$1${HIDDEN}@`) : value;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  const shown = ([name, item]: [unknown, unknown]): [unknown, unknown] => [
    name,
    SECRET.test(String(name)) && isValue(item) ? HIDDEN : withoutSecrets(item),
  ];
  if (value instanceof Map) return new Map([...value].map(shown));
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null) return value;
  return Object.fromEntries(Object.entries(value).map((entry) => shown(entry) as [string, unknown]));
}

/** True for what could be a secret: not what is unset, and no table, whose parts are looked at. */
function isValue(item: unknown): boolean {
  if (item === "" || item === null || item === undefined || typeof item === "boolean") return false;
  return typeof item !== "object" || item instanceof Number || Array.isArray(item) || item instanceof Uint8Array;
}
