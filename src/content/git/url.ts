import { ConfigError } from "../../base/errors.ts";

/** The address of a remote, with its secrets apart. */
interface GitUrl {
  /** The address that git gets: without user and password, except the user of ssh. */
  url: string;
  /** `https`, `http`, `ssh`, `git` or `file`. */
  scheme: string;
  /** The user and the password that stood in the address. */
  user?: string | undefined;
  password?: string | undefined;
}

const SCHEMES = ["https", "http", "ssh", "git", "file"];
const FORMS = "https://host/path, ssh://user@host/path, user@host:path or file:///path";

/** True if text has a character that could end a line of a protocol or of a log. */
// deno-lint-ignore no-control-regex
const hasControls = (text: string) => /[\x00-\x20\x7f]/.test(text);

/**
 * Reads the address of a remote.
 *
 * @param shown the name of the address in errors
 * @throws {ConfigError} for an address that git would take for an option, or that names a program to run (`ext::…`)
 */
export function parseGitUrl(text: string, shown = text): GitUrl {
  const wrong = (why: string) => new ConfigError(`Cannot use the git remote "${shown}": ${why}; expected ${FORMS}`);
  if (text === "" || text.startsWith("-") || hasControls(text)) throw wrong("it is not a URL");
  if (text.startsWith("/")) return { url: `file://${text}`, scheme: "file" };
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    const [, user, host, path] = /^([^@:/-][^@:/]*)@([^:/@-][^:/@]*):(?!:)(.+)$/.exec(text) ?? [];
    if (user === undefined) throw wrong("it has no scheme");
    return { url: `ssh://${user}@${host}/${path!.replace(/^\/+/, "")}`, scheme: "ssh" };
  }
  if (!SCHEMES.includes(scheme)) throw wrong(`the scheme ${scheme} is not allowed`);
  if (scheme === "file") return { url: text, scheme };
  let parsed: URL;
  try {
    parsed = new URL(text.replace(/^[^:]+/, "http"));
  } catch {
    throw wrong("it is not a URL");
  }
  if (parsed.hostname === "" || parsed.hostname.startsWith("-")) throw wrong("it has no host");
  const decoded = (part: string) => part === "" ? undefined : decodeURIComponent(part);
  const [user, password] = [decoded(parsed.username), decoded(parsed.password)];
  const rest = text.slice(text.indexOf("://") + 3);
  const slash = rest.indexOf("/");
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const name = scheme === "ssh" && user !== undefined ? `${encodeURIComponent(user)}@` : "";
  if (user?.startsWith("-")) throw wrong("its user begins with -");
  return { url: `${scheme}://${name}${host}${slash < 0 ? "/" : rest.slice(slash)}`, scheme, user, password };
}

/** An address or id of a remote for display: without passwords, and without users of http, which may be tokens. */
export function shownRemote(text: string): string {
  return text.replace(/(\bhttps?:\/\/)[^/\s]*@/gi, "$1…@")
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*):[^/\s]*@/gi, "$1:…@");
}
