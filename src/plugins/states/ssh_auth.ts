import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { splitWords } from "../../language/python/text.ts";
import { parseKey } from "../modules/ssh/keys.ts";

/** The arguments with what the name says besides the key: options, kind and comment. */
function spelled(args: Args): Args {
  const name = str(args.name);
  const found = parseKey(name);
  if (found === undefined) {
    const [key = "", ...comment] = splitWords(name);
    return { ...args, key, ...(comment.length > 0 ? { comment: comment.join(" ") } : {}) };
  }
  const { options, enc, key, comment } = found;
  return {
    ...args,
    key,
    enc,
    ...(options === "" ? {} : { options: options.split(",") }),
    ...(comment === "" ? {} : { comment }),
  };
}

const fromFile = ({ source }: Args): boolean => truthy(source);

const optionsOf = ({ options }: Args) => truthy(options) ? options : [];

async function checkKey(context: StateContext, args: Args): Promise<unknown> {
  const { user, key, enc, comment, config, fingerprint_hash_type } = args;
  return await context.call("ssh.check_key", [user, key, enc, comment, optionsOf(args)], {
    config,
    fingerprint_hash_type,
  });
}

/** Arguments of the functions that take a file of keys. */
const fileArguments = (context: StateContext, { user, source, config, fingerprint_hash_type }: Args) => ({
  user,
  source,
  config,
  saltenv: context.saltenv,
  fingerprint_hash_type,
});

/** The text for a file that is there and has no key; undefined if it has some, or is not there. */
async function noKeys(context: StateContext, args: Args): Promise<string | undefined> {
  const path = await context.call("cp.cache_file", [args.source, context.saltenv]);
  if (!truthy(path)) return undefined;
  const keys = await context.call("ssh.check_key_file", [], fileArguments(context, args));
  return truthy(keys) ? undefined : `No keys detected in ${str(args.source)}. Is file properly formatted?`;
}

const missingSource = ({ source }: Args) => `Failed to add the ssh key. Source file ${str(source)} is missing`;

/** True if the master does not have the file; one of this host may come in the same run. */
const isMissing = async (context: StateContext, { source }: Args): Promise<boolean> =>
  str(source).startsWith("salt://") && !truthy(await context.call("cp.cache_file", [source, context.saltenv]));

/** What a dry run says of a file of keys: `line` gives the words for one, or nothing. */
async function predictFile(
  context: StateContext,
  args: Args,
  line: (key: string, status: string) => string | undefined,
  done: string,
): Promise<StateReturn> {
  const keys = await context.call("ssh.check_key_file", [], fileArguments(context, args)) as Record<string, string>;
  const lines = Object.entries(keys).map(([key, status]) => line(key, status)).filter((text) => text !== undefined);
  if (lines.length > 0) return outcome(args.name, null, lines.map((text) => `${text}\n`).join(""));
  if (Object.keys(keys).length === 0 && done === "present" && await isMissing(context, args)) {
    return outcome(args.name, false, missingSource(args));
  }
  const problem = Object.keys(keys).length === 0 ? await noKeys(context, args) : undefined;
  return problem === undefined
    ? outcome(args.name, true, `All host keys in file ${str(args.source)} are already ${done}`)
    : outcome(args.name, false, problem);
}

async function predictPresent(context: StateContext, args: Args): Promise<StateReturn> {
  if (fromFile(args)) {
    const line = (key: string, status: string) => status === "exists" ? undefined : `Set to ${status}: ${key}`;
    return await predictFile(context, args, line, "present");
  }
  const { key, user } = args;
  const status = await checkKey(context, args);
  if (status === "update") return outcome(args.name, null, `Key ${key} for user ${str(user)} is set to be updated`);
  if (status === "add") return outcome(args.name, null, `Key ${key} for user ${str(user)} is set to be added`);
  return outcome(args.name, true, alreadyPresent(args));
}

const alreadyPresent = ({ key, user }: Args) =>
  `The authorized host key ${str(key)} is already present for user ${str(user)}`;

async function setKeys(context: StateContext, args: Args): Promise<unknown> {
  const { user, key, enc, comment, source, config, fingerprint_hash_type } = args;
  if (!fromFile(args)) {
    return await context.call("ssh.set_auth_key", [user, key], {
      enc,
      comment,
      options: optionsOf(args),
      config,
      fingerprint_hash_type,
    });
  }
  if (!truthy(await context.call("cp.get_url", [source, null], { saltenv: context.saltenv }))) return "no key";
  const options = { ...fileArguments(context, args), options: args.options };
  return await context.call("ssh.set_auth_key_from_file", [], options);
}

async function failed(context: StateContext, args: Args): Promise<string> {
  const problem = fromFile(args) ? await noKeys(context, args) : undefined;
  return problem ??
    "Failed to add the ssh key. Is the home directory available, and/or does the key file exist?";
}

async function present(context: StateContext, given: Args): Promise<StateReturn> {
  const args = given.source === "" ? spelled(given) : { ...given, key: given.name };
  if (context.test) return await predictPresent(context, args);
  const { name, key, user } = args;
  const data = await setKeys(context, args);
  const about = `The authorized host key ${str(key)} for user ${str(user)}`;
  if (data === "replace") return outcome(name, true, `${about} was updated`, { [str(key)]: "Updated" });
  if (data === "new") return outcome(name, true, `${about} was added`, { [str(key)]: "New" });
  if (data === "no change") return outcome(name, true, alreadyPresent(args));
  if (data === "no key") return outcome(name, false, missingSource(args));
  if (data === "fail") return outcome(name, false, await failed(context, args));
  return outcome(name, false, "Invalid public ssh key, most likely has spaces or invalid syntax");
}

async function predictAbsent(context: StateContext, args: Args): Promise<StateReturn> {
  if (fromFile(args)) {
    const line = (key: string, status: string) => status === "add" ? undefined : `Set to remove: ${key}`;
    return await predictFile(context, args, line, "absent");
  }
  return await checkKey(context, args) === "add"
    ? outcome(args.name, true, "Key is already absent")
    : outcome(args.name, null, `Key ${args.key} for user ${str(args.user)} is set for removal`);
}

async function removeKeys(context: StateContext, args: Args): Promise<string> {
  const { user, key, config, source, fingerprint_hash_type } = args;
  if (!fromFile(args)) {
    return await context.call("ssh.rm_auth_key", [user, key], { config, fingerprint_hash_type }) as string;
  }
  if (!truthy(await context.call("cp.get_url", [source, null], { saltenv: context.saltenv }))) return "";
  return await context.call("ssh.rm_auth_key_from_file", [], fileArguments(context, args)) as string;
}

async function absent(context: StateContext, given: Args): Promise<StateReturn> {
  const args = given.source === "" || context.test ? spelled(given) : { ...given, key: given.name };
  if (context.test) return await predictAbsent(context, args);
  const comment = await removeKeys(context, args);
  const changes = comment === "Key removed" ? { [str(args.key)]: "Removed" } : {};
  return outcome(args.name, comment !== "User authorized keys file not present", comment, changes);
}

const COMMON = `enc='ssh-rsa', comment='', source='', options=None, config='.ssh/authorized_keys',
  fingerprint_hash_type=None`;

/** Keys that may log in as a user. */
export const states: StateModule = {
  functions: stateFunctions({
    [`present(name, user, ${COMMON}, **kwargs)` as const]: {
      doc: "The key, or each key of the file `source`, may log in. The name may be a whole line of the file.",
      run: present,
    },
    [`absent(name, user, ${COMMON})` as const]: {
      doc: "The key, or each key of the file `source`, may not log in.",
      run: absent,
    },
    [`manage(name, ssh_keys, user, ${COMMON}, **kwargs)` as const]: {
      doc: "These keys and no other may log in.",
      async run(context, args) {
        const { ssh_keys: wanted, user, config, fingerprint_hash_type } = args;
        const ret = outcome("", true, "");
        const words = new Set((wanted as unknown[]).flatMap((key) => str(key).split(" ")));
        const there = await context.call("ssh.auth_keys", [], { user, config, fingerprint_hash_type }) as object;
        for (const key of Object.keys(there).filter((one) => !words.has(one))) {
          if (context.test) {
            ret.comment = `${key} Key set for removal`;
            ret.result = null;
          } else ret.changes[key] = (await absent(context, { ...args, name: key })).comment;
        }
        for (const key of wanted as unknown[]) {
          const one = await present(context, { ...args, name: key });
          if (Object.keys(one.changes).length > 0) Object.assign(ret.changes, one.changes);
          else ret.comment = `${str(ret.comment)}\n${str(one.comment)}`.trim();
          if (one.result === null) ret.result = null;
          else if (!one.result) ret.result = false;
        }
        return ret;
      },
    },
  }),
};
