/** Keys of a ring or a key server, as gpg lists them with colons. */
import { executionFunctions, type JobContext } from "../../../model/loader/family.ts";
import { strftime } from "../../../language/python/strftime.ts";
import { type Args, truthy } from "../../../language/python/values.ts";
import { operand } from "../../commands.ts";
import { onRing, type Ring, ringOf } from "./ring.ts";

export const KEY_SERVER = "keys.openpgp.org";

/** What gpg's letters say of trust. */
const TRUST: Record<string, string> = {
  e: "Expired",
  q: "Unknown",
  n: "Not Trusted",
  f: "Fully Trusted",
  m: "Marginally Trusted",
  u: "Ultimately Trusted",
  r: "Revoked",
  "-": "Unknown",
  o: "Unknown",
  i: "Invalid",
  d: "Disabled",
};

/** A key as functions return it: `{keyid, fingerprint, uids, expires?, created?, keyLength?, ownerTrust?, trust?}`. */
type Key = Record<string, unknown> & { keyid: string; uids: string[]; fingerprint?: string };

const ESCAPES: Record<string, string> = { n: "\n", r: "\r", f: "\f", v: "\v", b: "\b", 0: "\0" };

/** A user id without gpg's escapes. */
function userId(text: string): string {
  return text.replace(
    /\\x([0-9a-fA-F]{2})|\\([nrfvb0])/g,
    (_all, hex, letter) => hex === undefined ? ESCAPES[letter]! : String.fromCharCode(parseInt(hex, 16)),
  );
}

const day = (seconds: string) => strftime(new Date(Number(seconds) * 1000), "%Y-%m-%d");

/** What is known of a key beside its names, in Salt's order. */
function details(fields: Record<"expires" | "date" | "length", string | undefined>): Args {
  const { expires = "", date = "", length = "" } = fields;
  return {
    ...(expires === "" ? {} : { expires: day(expires) }),
    ...(date === "" ? {} : { created: day(date) }),
    ...(length === "" ? {} : { keyLength: length }),
  };
}

/** Reads `gpg --list-keys --with-colons`. */
export function parseListing(text: string): Key[] {
  const keys: Key[] = [];
  let primary = false;
  for (const line of text.split("\n")) {
    const fields = line.trim().split(":");
    const [kind, trust = "", length, , keyid = "", date, expires, , ownerTrust = "", name = ""] = fields;
    const last = keys.at(-1);
    if (kind === "pub" || kind === "sec") {
      primary = true;
      keys.push({
        keyid,
        fingerprint: "",
        uids: name === "" ? [] : [name],
        ...details({ expires, date, length }),
        ...(ownerTrust === "" ? {} : { ownerTrust: TRUST[ownerTrust[0]!] ?? ownerTrust }),
        ...(trust === "" ? {} : { trust: TRUST[trust[0]!] ?? trust }),
      });
    } else if (kind === "sub" || kind === "ssb") primary = false;
    else if (kind === "fpr" && primary && last !== undefined) last.fingerprint = name;
    else if (kind === "uid") last?.uids.push(userId(name));
  }
  return keys;
}

/** Reads `gpg --search-keys --with-colons`. */
function parseSearch(text: string): Key[] {
  const keys: Key[] = [];
  for (const line of text.split("\n")) {
    const [kind, name = "", , length, date, expires] = line.trim().split(":");
    if (kind === "pub") keys.push({ keyid: name, uids: [], ...details({ expires, date, length }) });
    else if (kind === "uid") keys.at(-1)?.uids.push(userId(name));
  }
  return keys;
}

async function keysOf(context: JobContext, ring: Ring, secret: boolean): Promise<Key[]> {
  const what = secret ? "--list-secret-keys" : "--list-keys";
  const { output } = await onRing(context, ring, [what, "--fingerprint", "--fingerprint"]);
  return parseListing(new TextDecoder().decode(output));
}

/** The last key with that long or short id, or that fingerprint. */
export async function findKey(
  context: JobContext,
  ring: Ring,
  { keyid, fingerprint }: Args,
  secret = false,
): Promise<Key | undefined> {
  return (await keysOf(context, ring, secret)).findLast((key) =>
    key.fingerprint === fingerprint || key.keyid === keyid || key.keyid.slice(8) === keyid
  );
}

const RING = "user=None, gnupghome=None";

export const LISTING = executionFunctions({
  "search_keys(text: str, keyserver=None, user=None)": {
    doc: "Looks for keys on a key server.\n\n    salt '*' gpg.search_keys user@example.com",
    async run(context, { text, keyserver, user }): Promise<Key[]> {
      const ring = ringOf(context, { user });
      const query = operand(text.trim(), "text to search");
      const server = operand(truthy(keyserver) ? keyserver : KEY_SERVER, "a key server");
      const wanted = /^[0-9a-f]+$/i.test(query) ? `0x${query}` : query;
      const { output } = await onRing(context, ring, ["--fingerprint", "--keyserver", server, "--search-keys", wanted]);
      return parseSearch(new TextDecoder().decode(output));
    },
  },
  [`list_keys(${RING})` as const]: {
    doc: "The keys of the ring.\n\n    salt '*' gpg.list_keys",
    run: (context, args) => keysOf(context, ringOf(context, args), false),
  },
  [`list_secret_keys(${RING})` as const]: {
    doc: "The secret keys of the ring.\n\n    salt '*' gpg.list_secret_keys",
    run: (context, args) => keysOf(context, ringOf(context, args), true),
  },
  [`get_key(keyid=None, fingerprint=None, ${RING})` as const]: {
    doc: "A key of the ring; False if it is not there.\n\n    salt '*' gpg.get_key keyid=3FAD9F1E",
    run: async (context, args) => await findKey(context, ringOf(context, args), args) ?? false,
  },
  [`get_secret_key(keyid=None, fingerprint=None, ${RING})` as const]: {
    doc: "A secret key of the ring; False if it is not there.\n\n    salt '*' gpg.get_secret_key keyid=3FAD9F1E",
    run: async (context, args) => await findKey(context, ringOf(context, args), args, true) ?? false,
  },
});
