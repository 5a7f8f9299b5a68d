import type { Client as LdapClient, Entry } from "ldapts";
import type { EauthContext, EauthModule } from "../../model/loader/eauth.ts";

const LIMIT_MS = 15_000;
const SCOPES = ["base", "one", "sub"] as const;
/** Salt's defaults of `auth.ldap.*`. */
const DEFAULTS: Record<string, unknown> = {
  uri: "",
  server: "localhost",
  port: 389,
  starttls: false,
  tls: false,
  no_verify: false,
  anonymous: false,
  scope: 2,
  basedn: "",
  groupou: "Groups",
  accountattributename: "memberUid",
  groupattribute: "memberOf",
  persontype: "person",
  groupclass: "posixGroup",
  activedirectory: false,
  freeipa: false,
  minion_stripdomains: [],
};

type Option = (name: string) => unknown;

function optionsOf({ opts }: EauthContext): Option {
  return (name) => opts[`auth.ldap.${name}`] ?? DEFAULTS[name];
}

const text = (value: unknown) => value === undefined || value === null ? "" : String(value);

/** Escapes a text for a search filter (RFC 4515). */
function inFilter(value: string): string {
  return value.replace(/[\0()*\\]/g, (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** Escapes a text for a distinguished name (RFC 4514). */
function inName(value: string): string {
  return value.replace(/^[ #]|[ ]$|[\0"+,;<=>\\]/g, (char) => `\\${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

function rendered(template: unknown, username: string): string {
  return text(template).replaceAll(/\{\{\s*username\s*\}\}/g, () => username);
}

function values(entry: Entry, name: string): string[] {
  const found = Object.keys(entry).find((key) => key.toLowerCase() === name.toLowerCase());
  return found === undefined ? [] : [entry[found]].flat().map(String);
}

/** `web` of `cn=web,ou=Groups,dc=example`. */
const firstName = (dn: string) => dn.split(",", 1)[0]!.split("=").at(-1)!;

async function connect(option: Option): Promise<LdapClient> {
  if (option("tls") && option("starttls")) throw new Error("auth.ldap.tls and auth.ldap.starttls exclude each other");
  const { Client } = await import("ldapts");
  const url = text(option("uri")) || `${option("tls") ? "ldaps" : "ldap"}://${option("server")}:${option("port")}`;
  const tlsOptions = { rejectUnauthorized: !option("no_verify") };
  const secure = url.startsWith("ldaps:");
  const client = new Client({ url, timeout: LIMIT_MS, connectTimeout: LIMIT_MS, ...secure ? { tlsOptions } : {} });
  if (option("starttls")) await client.startTLS(tlsOptions);
  return client;
}

async function search(client: LdapClient, base: string, filter: string, attributes: string[]): Promise<Entry[]> {
  return (await client.search(base, { scope: "sub", filter, attributes })).searchEntries;
}

async function withClient<T>(option: Option, use: (client: LdapClient) => Promise<T>): Promise<T> {
  const client = await connect(option);
  try {
    return await use(client);
  } finally {
    await client.unbind().catch(() => {});
  }
}

/** The entry of a user, by `auth.ldap.filter`, or as `auth.ldap.binddn` builds it from the name; undefined if there is not exactly one. */
async function findUser(option: Option, username: string): Promise<string | undefined> {
  const [dn, password, filter] = [option("binddn"), option("bindpw"), option("filter")].map(text);
  if (dn !== "" && password === "") return rendered(dn, inName(username));
  if (filter === "") throw new Error("auth.ldap.filter is not set: it is the filter that finds the entry of a user");
  return await withClient(option, async (client) => {
    if (dn !== "") await client.bind(rendered(dn, inName(username)), text(password));
    const scope = SCOPES[Number(option("scope"))] ?? "sub";
    const found = await client.search(text(option("basedn")), {
      scope,
      filter: rendered(filter, inFilter(username)),
      attributes: ["1.1"],
      sizeLimit: 2,
    });
    return found.searchEntries.length === 1 ? found.searchEntries[0]!.dn : undefined;
  });
}

/** Groups of a user, by the convention of the directory. */
async function groupsOf(option: Option, client: LdapClient, username: string): Promise<string[]> {
  const [account, member, klass] = ["accountattributename", "groupattribute", "groupclass"].map((name) =>
    text(option(name))
  ) as [string, string, string];
  const base = text(option("basedn"));
  const name = inFilter(username);
  if (option("activedirectory")) {
    const [user] = await search(client, base, `(&(${account}=${name})(objectClass=${option("persontype")}))`, ["cn"]);
    if (user === undefined) return [];
    const groups = await search(client, base, `(&(member=${inFilter(user.dn)})(objectClass=${klass}))`, ["cn"]);
    return groups.flatMap((group) => values(group, "cn").slice(0, 1));
  }
  if (option("freeipa")) {
    const filter = rendered(option("group_filter"), name);
    const groups = await search(client, text(option("group_basedn")), filter, [account, member, "cn"]);
    return groups.filter((group) =>
      [...values(group, account), ...values(group, member)].some((value) => firstName(value) === username)
    ).map((group) => firstName(group.dn));
  }
  const unit = text(option("groupou"));
  const where = unit === "" ? base : `ou=${inName(unit)},${base}`;
  const entries = await search(client, where, `(&(${account}=${name})(objectClass=${klass}))`, [account, "cn", member]);
  return entries.flatMap((entry) => [
    ...values(entry, account).includes(username) ? values(entry, "cn").slice(0, 1) : [],
    ...firstName(entry.dn) === username ? values(entry, member).map(firstName) : [],
  ]);
}

/** A directory, with the options `auth.ldap.*`: a caller who can bind as the user is the user. */
export const eauth: EauthModule = {
  async authenticate(context, { username, password }) {
    // A bind without a password succeeds anonymously, and proves nothing (RFC 4513, 5.1.2).
    if (username === "" || password === "") return undefined;
    const option = optionsOf(context);
    const dn = await findUser(option, username);
    if (dn === undefined) return undefined;
    return await withClient(option, async (client) => {
      try {
        await client.bind(dn, password);
      } catch (error) {
        const { InvalidCredentialsError } = await import("ldapts");
        if (error instanceof InvalidCredentialsError) return undefined;
        throw error;
      }
      // A user may not be allowed to see groups that the searching account can.
      const [binder, secret] = [option("binddn"), option("bindpw")].map(text);
      if (binder !== "" && secret !== "") await client.bind(rendered(binder, inName(username)), secret!);
      return { name: username, groups: await groupsOf(option, client, username) };
    });
  },

  /** `ldap(ou=web,dc=example)` as a target matches the computers below it in the directory. */
  async expand(context, permissions) {
    const option = optionsOf(context);
    const unit = (rule: unknown) =>
      typeof rule === "object" && rule !== null ? /^ldap\((.*)\)$/s.exec(Object.keys(rule)[0] ?? "")?.[1] : undefined;
    if (!permissions.some((rule) => unit(rule) !== undefined)) return [...permissions];
    const domains = [option("minion_stripdomains")].flat().map(String);
    return await withClient(option, async (client) => {
      const [binder, secret] = [option("binddn"), option("bindpw")].map(text);
      if (binder !== "" && secret !== "") await client.bind(binder!, secret!);
      const expanded: unknown[] = [];
      for (const rule of permissions) {
        const base = unit(rule);
        if (base === undefined) {
          expanded.push(rule);
          continue;
        }
        const [conditions] = Object.values(rule as object);
        for (const computer of await search(client, base, "(objectClass=computer)", ["cn"])) {
          const id = (values(computer, "cn")[0] ?? "").toLowerCase();
          const domain = domains.find((end) => id.endsWith(end)) ?? "";
          // As a list, so that nothing in a name is read as an expression.
          if (id !== "") expanded.push({ [`L@${id.slice(0, id.length - domain.length)}`]: conditions });
        }
      }
      return expanded;
    });
  },
};
