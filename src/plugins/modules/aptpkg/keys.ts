/** The keys that repositories are signed with: files of a directory, or those of `apt-key` where there still is one. */
import { baseName, joinPath } from "../../../base/paths.ts";
import { proxyAddress } from "../../../protocol/transport/proxy.ts";
import { CommandExecutionError, type JobContext, SaltInvocationError } from "../../../model/loader/family.ts";
import { proxyOf } from "../../../model/loader/proxies.ts";
import { printable } from "../../../base/printable.ts";
import { splitLines } from "../../../language/python/text.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { programPath, runAll } from "../../commands.ts";
import { isDirectory, isFile } from "../../linux/paths.ts";
import { textOf } from "../../bytes.ts";
import { replaceContent } from "../../host_files.ts";

type Key = Record<string, unknown>;

const KEYRINGS = "/etc/apt/keyrings";
const LIST = ["--batch", "--list-public-keys", "--with-fingerprint", "--with-fingerprint", "--with-colons"];

/** The directory of keys: undefined for `apt-key`, null if it is missing. */
function placeOf(context: JobContext, { aptkey, keydir }: Args): string | undefined | null {
  if (truthy(aptkey) && programPath(context, "apt-key") !== undefined) return undefined;
  const directory = truthy(keydir) ? str(keydir) : KEYRINGS;
  if (isDirectory(context.runtime.fs, directory)) return directory;
  context.log.error(`The directory ${directory} does not exist: make it, writable for root alone`);
  return null;
}

/** Fields of a listing by colons: numbers as such, nothing as null. */
const field = (text: string | undefined): string | number | null =>
  text === undefined || text === "" ? null : /^\d{1,15}$/.test(text) ? Number(text) : text;

/**
 * Reads what gpg lists by colons.
 *
 * @returns key id → `{algorithm, bits, capability, date_creation, date_expiration, keyid, validity, fingerprint, uid, uid_hash,
 * subkey?}`
 */
function parseKeys(text: string): Record<string, Key> {
  const found: Record<string, Key> = {};
  let last: Key | undefined;
  for (const line of splitLines(text)) {
    const items = line.split(":").map((item) => item.trim());
    const [kind] = items;
    if (kind === "pub" || kind === "sub") {
      const key: Key = {
        algorithm: field(items[3]),
        bits: field(items[2]),
        capability: field(items[11]),
        date_creation: field(items[5]),
        date_expiration: field(items[6]),
        keyid: items[4] ?? "",
        validity: field(items[1]),
      };
      if (kind === "pub") found[str(key.keyid)] = last = key;
      else if (last !== undefined) last.subkey = key;
    } else if (last !== undefined && kind === "fpr") {
      Object.assign(last.subkey ?? last, { fingerprint: items[9] });
    } else if (last !== undefined && kind === "uid") {
      Object.assign(last, { uid: field(items[9]), uid_hash: items[7] });
    }
  }
  return found;
}

async function keysOfFile(context: JobContext, path: string): Promise<Record<string, Key>> {
  const argv = ["gpg", "--no-default-keyring", "--keyring", path, "--list-keys", "--with-colons"];
  return parseKeys((await runAll(context, argv, { ignore_retcode: true })).stdout);
}

/** Key id → details; False without a directory of keys. */
export async function repoKeys(context: JobContext, args: Args): Promise<Record<string, Key> | false> {
  const directory = placeOf(context, args);
  if (directory === null) return false;
  if (directory === undefined) {
    const { retcode, stdout, stderr } = await runAll(context, ["apt-key", "adv", ...LIST, "--fixed-list-mode"]);
    if (retcode !== 0) throw new CommandExecutionError(stderr);
    return parseKeys(stdout);
  }
  const found: Record<string, Key> = {};
  for (const name of context.runtime.fs.list(directory)) {
    Object.assign(found, await keysOfFile(context, joinPath(directory, name)));
  }
  return found;
}

/** The bytes of an armoured key; unchanged if it is not armoured. */
export function withoutArmour(data: Uint8Array): Uint8Array {
  const text = textOf(data);
  if (typeof text !== "string" || !text.startsWith("-----BEGIN PGP")) return data;
  const blocks = [
    ...text.matchAll(
      /-----BEGIN PGP[^\n]*\n(?:[^\n]*:[^\n]*\n)*\s*\n([A-Za-z0-9+/=\s]*?)(?:\n=[\w+/=]{4})?\s*-----END PGP/g,
    ),
  ];
  try {
    const binary = blocks.map(([, body = ""]) => atob(body.replace(/\s/g, ""))).join("");
    if (binary !== "") return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  } catch {
    // Falls through to the same complaint.
  }
  throw new CommandExecutionError("The key is in an armour that cannot be read");
}

/**
 * A login page, or an error that a server sends as a success, must not take the place of a key: apt would refuse all packages.
 *
 * @throws {CommandExecutionError} if bytes are no key: neither armoured, nor packets of OpenPGP, which have the first bit set
 */
function checkKey(data: Uint8Array, name: string): void {
  const text = new TextDecoder().decode(data.subarray(0, 4096));
  if (((data[0] ?? 0) & 0x80) !== 0 || text.includes("-----BEGIN PGP PUBLIC KEY BLOCK-----")) return;
  const begin = data.length === 0 ? "it is empty" : `it begins with ${JSON.stringify(printable(text.trimStart(), 40))}`;
  throw new CommandExecutionError(
    `Cannot use the key for ${name}: ${begin}, and is no OpenPGP key. Check what its address returns`,
  );
}

/** Two keyrings as one: apt reads keys one after the other. */
function joined(before: Uint8Array, added: Uint8Array): Uint8Array {
  const text = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return text(before).includes(text(added)) ? before : Uint8Array.from([...before, ...added]);
}

/** Writes a key to a file, which apt's user must be able to read. @param isShared keys that are in the file already stay there */
function store(context: JobContext, directory: string, name: string, data: Uint8Array, isShared: boolean): true {
  const { fs } = context.runtime;
  if (name !== baseName(name) || name === "" || name === "." || name === "..") {
    throw new SaltInvocationError(`keyfile must be the name of a file in ${directory}, not '${name}'`);
  }
  checkKey(data, name);
  const path = joinPath(directory, name);
  // apt reads an armoured key if the file name ends with .asc.
  const key = name.endsWith(".asc") ? data : withoutArmour(data);
  replaceContent({ fs }, path, isShared && isFile(fs, path) ? joined(fs.read(path), key) : key);
  return true;
}

async function succeeded(context: JobContext, argv: string[], options: Args = {}): Promise<boolean> {
  const { retcode, stderr } = await runAll(context, argv, options);
  if (retcode !== 0) context.log.error(`Unable to add repo key: ${stderr}`);
  return retcode === 0;
}

export async function addRepoKey(context: JobContext, args: Args): Promise<boolean> {
  const { fs } = context.runtime;
  const { path, text, keyserver, saltenv } = args;
  const isShared = args.isShared === true;
  const keyfile = truthy(args.keyfile) ? str(args.keyfile) : undefined;
  const keyid = truthy(args.keyid) ? str(args.keyid) : undefined;
  const directory = placeOf(context, args);
  if (directory === null) return false;
  if (keyid !== undefined) {
    const there = await repoKeys(context, args);
    if (Object.keys(there).some((id) => id.endsWith(keyid))) return true;
  }
  if (truthy(path)) {
    const cached = await context.call("cp.cache_file", [path, saltenv]);
    if (!truthy(cached)) {
      context.log.error(`Unable to get cached copy of file: ${str(path)}`);
      return false;
    }
    if (directory === undefined) return await succeeded(context, ["apt-key", "add", str(cached)]);
    return store(context, directory, keyfile ?? baseName(str(cached)), fs.read(str(cached)), isShared);
  }
  if (truthy(text)) {
    if (directory === undefined) return await succeeded(context, ["apt-key", "add", "-"], { stdin: str(text) });
    if (keyfile === undefined) throw new SaltInvocationError("keyfile must name the file that the text is put into");
    return store(context, directory, keyfile, new TextEncoder().encode(str(text)), isShared);
  }
  if (truthy(keyserver)) {
    if (keyid === undefined) {
      throw new SaltInvocationError(`No keyid or keyid too short for keyserver: ${str(keyserver)}`);
    }
    const proxy = proxyOf(context.opts);
    const from = [
      ...(proxy === undefined || proxy.except.includes(str(keyserver).replace(/^\w+:\/\/|[:/].*$/g, ""))
        ? []
        : ["--keyserver-options", `http-proxy=${proxyAddress(proxy)}`]),
      "--keyserver",
      str(keyserver),
    ];
    if (directory === undefined) {
      return await succeeded(context, ["apt-key", "adv", "--batch", ...from, "--recv", keyid]);
    }
    if (keyfile === undefined) {
      context.log.error("keyfile must name the file that the key is put into");
      return false;
    }
    const file = joinPath(directory, keyfile);
    // apt reads the old form of keyrings alone.
    const keyring = isShared ? `gnupg-ring:${file}` : file;
    const argv = ["gpg", "--no-default-keyring", "--keyring", keyring, ...from, "--recv-keys", keyid];
    if (!await succeeded(context, argv)) return false;
    fs.chmod(file, 0o644);
    return true;
  }
  if (keyid !== undefined) throw new SaltInvocationError(`No keyserver specified for keyid: ${keyid}`);
  throw new SaltInvocationError("One of path, text, and keyserver with keyid is needed");
}

/** The id of the removed key; False if no file contains it. */
export async function delRepoKey(context: JobContext, args: Args): Promise<string | false> {
  const { keyid, keyid_ppa } = args.kwargs as Args;
  if (truthy(keyid_ppa)) throw new SaltInvocationError("keyid_ppa is not supported: name the key itself as keyid");
  if (keyid === undefined) throw new SaltInvocationError("keyid or keyid_ppa and PPA name must be passed");
  const id = str(keyid);
  const directory = placeOf(context, args);
  if (directory === null) return false;
  if (directory === undefined) {
    const { retcode, stderr } = await runAll(context, ["apt-key", "del", id]);
    if (retcode !== 0) throw new CommandExecutionError(`Failed to remove keyid ${id}: ${stderr}`);
    return id;
  }
  if (id.length !== 8 && id.length !== 16) {
    context.log.error(`The keyid needs to be either 8 or 16 characters, not ${id}`);
    return false;
  }
  const { fs } = context.runtime;
  for (const name of fs.list(directory)) {
    const path = joinPath(directory, name);
    if (!Object.keys(await keysOfFile(context, path)).some((key) => key.endsWith(id))) continue;
    fs.remove(path);
    return id;
  }
  context.log.error(`Could not find the key file for keyid: ${id}`);
  return false;
}
