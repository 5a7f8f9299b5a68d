import { joinPath } from "../../../base/paths.ts";
import { CommandExecutionError, type JobContext } from "../../../model/loader/family.ts";
import { type Args, type KeywordArgs, str, truthy } from "../../../language/python/values.ts";
import { splitWords, strip } from "../../../language/python/text.ts";
import { isDirectory, isFile } from "../../linux/paths.ts";
import { type FileOwner, type UserFile, userFile } from "../../user_files.ts";
import { type AuthorizedKey, fingerprintOf, keyKind, keyLine, parseKey } from "./keys.ts";

/** What `user.info` says of an account. */
interface Account extends FileOwner {
  home: string;
}

/** Undefined if there is no such user. */
export async function accountOf(context: JobContext, user: unknown): Promise<Account | undefined> {
  const info = await context.call("user.info", [user]);
  return truthy(info) ? { ...info as Account, name: str(user) } : undefined;
}

/** Replaces `%u`, `%h` and `%%` in a path. @throws {CommandExecutionError} for another token */
function expandTokens(path: string, { name, home }: Account): string {
  const tokens: Record<string, string> = { "%": "%", u: name, h: home };
  return path.replaceAll(/%(.?)/gs, (_, token: string) => {
    if (token === "") {
      throw new CommandExecutionError("AuthorizedKeysFile path: Last character can't be escape character");
    }
    if (!Object.hasOwn(tokens, token)) {
      throw new CommandExecutionError(`AuthorizedKeysFile path: unknown token character "%${token}"`);
    }
    return tokens[token]!;
  });
}

function fileOf(context: JobContext, account: Account, config: unknown): UserFile {
  const path = expandTokens(str(config), account);
  return userFile(context, path.startsWith("/") ? path : joinPath(account.home, path), account);
}

async function needFile(context: JobContext, { user, config }: Args): Promise<UserFile> {
  const account = await accountOf(context, user);
  if (account === undefined) throw new CommandExecutionError(`User '${str(user)}' does not exist`);
  return fileOf(context, account, config);
}

const linesOf = (text: string) => text.split("\n").map(strip).filter((line) => line !== "");

/** The keys in the text of a file, by their base64. */
function keysIn(context: JobContext, text: string, hashType: unknown): Map<string, AuthorizedKey> {
  const keys = new Map<string, AuthorizedKey>();
  for (const line of linesOf(text)) {
    const found = line.startsWith("#") ? undefined : parseKey(line);
    if (found === undefined) continue;
    const { options, enc, key, comment } = found;
    const fingerprint = fingerprintOf(context, key, hashType);
    if (fingerprint === undefined) continue;
    keys.set(key, { enc, comment, options: options === "" ? [] : options.split(","), fingerprint });
  }
  return keys;
}

async function keysOf(context: JobContext, args: Args): Promise<Map<string, AuthorizedKey>> {
  const account = await accountOf(context, args.user);
  if (account === undefined) return new Map();
  const file = fileOf(context, account, args.config);
  return keysIn(context, await file.read(), args.fingerprint_hash_type);
}

/** `ssh.auth_keys`: of one user key → what it is; of several or all, user → that. */
export async function authKeys(context: JobContext, args: Args): Promise<Record<string, unknown>> {
  const { user } = args;
  if (truthy(user) && !Array.isArray(user)) return Object.fromEntries(await keysOf(context, args));
  const users = truthy(user) ? user as unknown[] : await context.call("user.list_users") as unknown[];
  const found: [string, unknown][] = [];
  for (const one of users) {
    const account = await accountOf(context, one);
    if (account === undefined) continue;
    const file = fileOf(context, account, args.config);
    if (!await file.exists()) continue;
    found.push([str(one), Object.fromEntries(keysIn(context, await file.read(), args.fingerprint_hash_type))]);
  }
  return Object.fromEntries(found);
}

export async function checkKey(context: JobContext, args: Args): Promise<"update" | "add" | "exists"> {
  const key = str(args.key);
  const enc = keyKind(args.enc);
  const current = (await keysOf(context, args)).get(key);
  if (current === undefined) return "add";
  const now = keyLine(key, current.enc, current.comment, current.options);
  return now === keyLine(key, enc, args.comment, args.options) ? "exists" : "update";
}

/** The keys of a file that comes from anywhere; undefined if it cannot be had. */
async function sourceKeys(
  context: JobContext,
  { source, saltenv, fingerprint_hash_type: hashType }: Args,
): Promise<Map<string, AuthorizedKey> | undefined> {
  const path = await context.call("cp.cache_file", [source, saltenv]);
  const { fs } = context.runtime;
  if (!truthy(path) || !isFile(fs, str(path))) return undefined;
  const keys = keysIn(context, fs.readText(str(path)), hashType);
  if (keys.size === 0) {
    context.log.error("no keys in this file: is it properly formatted?", { source: str(source) });
  }
  return keys;
}

async function needSourceKeys(context: JobContext, args: Args): Promise<Map<string, AuthorizedKey>> {
  const keys = await sourceKeys(context, args);
  if (keys === undefined) throw new CommandExecutionError("Failed to pull key file from salt file server");
  return keys;
}

/** `ssh.check_key_file`: key → what would become of it. */
export async function checkKeyFile(context: JobContext, args: Args): Promise<Record<string, string>> {
  const answers: [string, string][] = [];
  for (const [key, { enc, comment, options }] of await sourceKeys(context, args) ?? []) {
    answers.push([key, await checkKey(context, { ...args, key, enc, comment, options })]);
  }
  return Object.fromEntries(answers);
}

/** `ssh.rm_auth_key`. Lines that are neither keys nor comments go too, as in Salt. */
export async function rmAuthKey(context: JobContext, args: Args): Promise<string> {
  const key = str(args.key);
  if (!(await keysOf(context, args)).has(key)) return "Key not present";
  const file = await needFile(context, args);
  const lines = linesOf(await file.read()).filter((line) => {
    if (line.startsWith("#")) return true;
    const found = parseKey(line);
    return found !== undefined && found.key !== key;
  });
  try {
    await file.write(lines.map((line) => `${line}\n`).join(""));
  } catch (error) {
    context.log.warning("could not write key file", { path: file.path, error });
    return "Key not removed";
  }
  return "Key removed";
}

export async function rmAuthKeyFromFile(context: JobContext, args: Args): Promise<string> {
  const keys = await needSourceKeys(context, args);
  if (keys.size === 0) return "fail";
  const answers: string[] = [];
  for (const key of keys.keys()) answers.push(await rmAuthKey(context, { ...args, key }));
  return ["Key not removed", "Key removed"].find((answer) => answers.includes(answer)) ?? "Key not present";
}

export async function setAuthKeyFromFile(context: JobContext, args: KeywordArgs): Promise<string> {
  const keys = await needSourceKeys(context, args);
  if (keys.size === 0) return "fail";
  const answers: string[] = [];
  for (const [key, { enc, comment, options }] of keys) {
    const own = truthy(args.kwargs.options) ? args.kwargs.options : options;
    answers.push(await setAuthKey(context, { ...args, key, enc, comment, options: own }));
  }
  return ["fail", "replace", "new"].find((answer) => answers.includes(answer)) ?? "no change";
}

/** Puts a line in the place of the key's, or at the end. */
async function putLine(file: UserFile, key: string, line: string, status: "update" | "add"): Promise<void> {
  const text = await file.read();
  if (status === "add") {
    await file.write(`${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}`);
    return;
  }
  const lines = linesOf(text).map((own) => !own.startsWith("#") && parseKey(own)?.key === key ? line : `${own}\n`);
  await file.write(lines.join(""));
}

export async function setAuthKey(context: JobContext, args: Args): Promise<string> {
  const key = str(args.key);
  if (splitWords(key).length > 1) return "invalid";
  const enc = keyKind(args.enc);
  const account = await accountOf(context, args.user);
  if (account === undefined) return "fail";
  if (fingerprintOf(context, key, args.fingerprint_hash_type) === undefined) return "Invalid public key";
  const line = keyLine(key, enc, args.comment, args.options);
  // What is written is one key: a line feed in its options or its comment would begin another.
  if (/[\r\n]/.test(line.slice(0, -1))) return "invalid";
  const status = await checkKey(context, args);
  if (status === "exists") return "no change";
  const file = fileOf(context, account, args.config);
  if (file.path.startsWith(account.home) && !isDirectory(context.runtime.fs, account.home)) return "fail";
  await putLine(file, key, line, status);
  return status === "update" ? "replace" : "new";
}
