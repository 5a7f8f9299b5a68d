import { joinPath } from "../../base/paths.ts";
import { SystemError } from "../../base/errors.ts";
import type { ExecutionModule } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { basename } from "../../language/python/posixpath.ts";
import { str, truthy } from "../../language/python/values.ts";
import { programPath } from "../commands.ts";
import { withOsErrors } from "../python_errors.ts";
import {
  accountOf,
  authKeys,
  checkKey,
  checkKeyFile,
  rmAuthKey,
  rmAuthKeyFromFile,
  setAuthKey,
  setAuthKeyFromFile,
} from "./ssh/authorized.ts";
import {
  askHost,
  checkKnownHost,
  hashKnownHosts,
  knownHost,
  removeKnownHost,
  setKnownHost,
} from "./ssh/known_hosts.ts";
import { userFile } from "../user_files.ts";

const FILE = "config='.ssh/authorized_keys'";
const HASH = "fingerprint_hash_type=None";

const KEY_NAMES = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/**
 * Keys of ssh: those that may log in, those of hosts, and users' own. A file in a user's home is read and written as that
 * user, so that a link there leads root nowhere.
 */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "ssh") === undefined ? { unavailable: "The module requires the ssh binary." } : true,
  functions: executionFunctions({
    "host_keys(keydir=None, private=True, certs=True)": {
      doc: "The keys of this host.\n\n    salt '*' ssh.host_keys private=False",
      run(context, { keydir, private: withPrivate, certs }) {
        const { fs } = context.runtime;
        const directory = truthy(keydir) ? str(keydir) : "/etc/ssh";
        const keys: [string, string][] = [];
        for (const name of withOsErrors(directory, () => fs.list(directory))) {
          const [whole, kind = "", pub, cert] = /^ssh_host_(.+)_key((-cert)?\.pub)?/.exec(name) ?? [];
          if (
            whole === undefined || (pub === undefined && withPrivate === false) ||
            (cert !== undefined && certs === false)
          ) {
            continue;
          }
          let text = "";
          try {
            text = fs.readText(joinPath(directory, name)).trim();
          } catch (error) {
            // A key that cannot be read is shown as empty.
            if (!(error instanceof SystemError)) throw error;
          }
          keys.push([`${kind}${pub ?? ""}`, text]);
        }
        return Object.fromEntries(keys);
      },
    },
    "user_keys(user=None, pubfile=None, prvfile=None)": {
      doc: "The keys in the homes of users.\n\n    salt '*' ssh.user_keys user=foo prvfile=False",
      async run(context, { user, pubfile, prvfile }) {
        const users = (truthy(user) ? [user].flat() : await context.call("user.list_users")) as unknown[];
        const names = [
          ...(truthy(pubfile) ? [str(pubfile)] : pubfile === false ? [] : KEY_NAMES.map((name) => `${name}.pub`)),
          ...(truthy(prvfile) ? [str(prvfile)] : prvfile === false ? [] : KEY_NAMES),
        ];
        const all: [string, Record<string, string>][] = [];
        for (const one of users) {
          const account = await accountOf(context, one);
          if (account === undefined) continue;
          const keys: [string, string][] = [];
          for (const name of names) {
            const file = userFile(context, name.startsWith("/") ? name : `${account.home}/.ssh/${name}`, account);
            if (await file.exists()) keys.push([basename(name), (await file.read()).trim()]);
          }
          if (keys.length > 0) all.push([str(one), Object.fromEntries(keys)]);
        }
        return Object.fromEntries(all);
      },
    },
    "key_is_encrypted(key: str)": {
      doc: "True if a private key needs a passphrase.\n\n    salt '*' ssh.key_is_encrypted /root/id_rsa",
      run(context, { key }): boolean {
        const text = withOsErrors(key, () => context.runtime.fs.readText(key));
        if (!/BEGIN (?:\w+\s)*PRIVATE KEY/.test(text)) throw new CommandExecutionError(`${key} is not a private key`);
        return text.includes("ENCRYPTED");
      },
    },
    [`auth_keys(user=None, ${FILE}, ${HASH})` as const]: {
      doc: "The keys that may log in as a user.\n\n    salt '*' ssh.auth_keys root",
      run: authKeys,
    },
    [`check_key(user, key, enc, comment, options, ${FILE}, cache_keys=None, ${HASH})` as const]: {
      doc: "What ssh.set_auth_key would do: add, update or exists.\n\n" +
        "    salt '*' ssh.check_key root AAAA… ssh-ed25519 me@host '[]'",
      run: checkKey,
    },
    [`check_key_file(user, source, ${FILE}, saltenv='base', ${HASH})` as const]: {
      doc: "The same of each key in a file.\n\n    salt '*' ssh.check_key_file root salt://ssh/keyfile",
      run: checkKeyFile,
    },
    [`rm_auth_key(user, key, ${FILE}, ${HASH})` as const]: {
      doc: "Takes a key from those that may log in.\n\n    salt '*' ssh.rm_auth_key root AAAA…",
      run: rmAuthKey,
    },
    [`rm_auth_key_from_file(user, source, ${FILE}, saltenv='base', ${HASH})` as const]: {
      doc: "The same of each key in a file.\n\n    salt '*' ssh.rm_auth_key_from_file root salt://ssh/keyfile",
      run: rmAuthKeyFromFile,
    },
    [`set_auth_key(user, key, enc='ssh-rsa', comment='', options=None, ${FILE}, cache_keys=None, ${HASH})` as const]: {
      doc: "Adds a key to those that may log in.\n\n    salt '*' ssh.set_auth_key root AAAA… enc=ssh-ed25519",
      run: setAuthKey,
    },
    [`set_auth_key_from_file(user, source, ${FILE}, saltenv='base', ${HASH}, **kwargs)` as const]: {
      doc: "The same of each key in a file.\n\n    salt '*' ssh.set_auth_key_from_file root salt://ssh/keyfile",
      run: setAuthKeyFromFile,
    },
    [`get_known_host_entries(user, hostname, config=None, port=None, ${HASH})` as const]: {
      doc: "The keys that are known of a host.\n\n    salt '*' ssh.get_known_host_entries root github.com",
      run: knownHost,
    },
    [`recv_known_host_entries(hostname, enc=None, port=None, hash_known_hosts=True, timeout=5, ${HASH})` as const]: {
      doc: "The keys that a host shows.\n\n    salt '*' ssh.recv_known_host_entries github.com",
      run: askHost,
    },
    check_known_host: executionFunction({
      signature: `user=None, hostname=None, key=None, fingerprint=None, config=None, port=None, ${HASH}`,
      doc: "What ssh.set_known_host would do: add, update or exists.\n\n" +
        "    salt '*' ssh.check_known_host root github.com key=AAAA…",
      run: checkKnownHost,
    }),
    rm_known_host: removeKnownHost,
    set_known_host: executionFunction({
      signature: `user=None, hostname=None, fingerprint=None, key=None, port=None, enc=None, config=None,
        hash_known_hosts=True, timeout=5, ${HASH}`,
      doc: "Notes the key of a host: the one given, or the one that it shows.\n\n" +
        "    salt '*' ssh.set_known_host root github.com fingerprint=…",
      run: setKnownHost,
    }),
    hash_known_hosts: hashKnownHosts,
  }),
};
