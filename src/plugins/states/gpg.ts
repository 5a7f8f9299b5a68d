import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../model/loader/states.ts";
import { type Args, isMap, lookup, str, truthy } from "../../language/python/values.ts";

type Key = Record<string, unknown>;

/** Levels of trust, and the words for them in `gpg.list_keys`. */
const LEVELS: Record<string, string> = {
  expired: "Expired",
  unknown: "Unknown",
  not_trusted: "Not Trusted",
  marginally: "Marginally Trusted",
  fully: "Fully Trusted",
  ultimately: "Ultimately Trusted",
};

/** What was done for the keys of a state so far. */
class Report {
  result: boolean | null = true;
  readonly comments: string[] = [];
  readonly changes: Record<string, unknown> = {};

  say(comment: string): void {
    this.comments.push(comment);
  }

  fail(comment: string): void {
    this.result = false;
    this.say(comment);
  }

  plan(comment: string): void {
    if (this.result === true) this.result = null;
    this.say(comment);
  }

  change(key: string, values: Record<string, unknown>): void {
    this.changes[key] = { ...this.changes[key] as object, ...values };
  }

  return(name: unknown): StateReturn {
    return outcome(name, this.result, this.comments.join("\n"), this.changes);
  }
}

const wantedKeys = ({ name, keys }: Args): string[] => {
  const wanted = truthy(keys) ? keys : name;
  return Array.isArray(wanted) ? wanted.map(str) : [str(wanted)];
};

async function listed(context: StateContext, { user, gnupghome }: Args): Promise<Key[]> {
  return await context.call("gpg.list_keys", [], { user, gnupghome }) as Key[];
}

const find = (keys: Key[], wanted: string) => keys.find((one) => one.keyid === wanted || one.fingerprint === wanted);

/** True if an answer says that something went wrong. */
const refused = (answer: unknown) => !isMap(answer) || lookup(answer, "res") === false;

const messageIn = (answer: unknown) => {
  const text = isMap(answer) ? lookup(answer, "message") ?? lookup(answer, "comment") : answer;
  return Array.isArray(text) ? text.map(str).join("\n") : str(text ?? "");
};

async function setTrust(
  context: StateContext,
  args: Args,
  report: Report,
  { key, found }: { key: string; found: Key | undefined },
): Promise<void> {
  const { user, gnupghome } = args;
  const trust = str(args.trust);
  if (!Object.hasOwn(LEVELS, trust)) return report.fail(`Invalid trust level ${trust}`);
  const before = found?.ownerTrust ?? found?.trust;
  if (before === LEVELS[trust]) return report.say(`GPG Public Key ${key} already in correct trust state`);
  if (context.test) return report.plan(`The trust level for ${key} would be set to ${trust}`);
  const answer = await context.call("gpg.trust_key", [], {
    keyid: found?.keyid ?? key,
    trust_level: trust,
    user,
    ...truthy(gnupghome) ? { gnupghome } : {},
  });
  if (refused(answer)) return report.fail(messageIn(answer));
  report.change(key, { trust });
  report.say(`Set trust level for ${key} to ${trust}`);
}

async function receive(context: StateContext, args: Args, report: Report, key: string): Promise<boolean> {
  const { name, keyserver, user, gnupghome } = args;
  const answer = await context.call("gpg.receive_keys", [keyserver, key, user, gnupghome]);
  const message = messageIn(answer);
  if (refused(answer) || !/ (added to|already exists in) keychain/.test(message)) {
    report.fail(message === "" ? `Unable to add ${key} to GPG keychain` : message);
    return false;
  }
  if (/ added to keychain/.test(message)) report.change(key, { added: true });
  report.say(`Adding ${str(name)} to GPG keychain`);
  return true;
}

/** Public keys in the key rings of GnuPG. */
export const states: StateModule = {
  functions: stateFunctions({
    "present(name, keys=None, user=None, keyserver=None, gnupghome=None, trust=None, **kwargs)": {
      doc: "The keys are in the ring, from a key server if need be, and their owners are trusted as far as that.",
      async run(context, args) {
        const report = new Report();
        let current = await listed(context, args);
        for (const key of wantedKeys(args)) {
          let found = find(current, key);
          if (found !== undefined) {
            if (truthy(args.trust)) await setTrust(context, args, report, { key, found });
            report.say(`GPG Public Key ${key} already in keychain `);
            continue;
          }
          if (context.test) {
            // The run says so when it has the key.
            if (truthy(args.trust) && !Object.hasOwn(LEVELS, str(args.trust))) {
              report.fail(`Invalid trust level ${str(args.trust)}`);
              continue;
            }
            report.plan(`GPG Public Key ${key} would be added to the keychain`);
            continue;
          }
          if (!await receive(context, args, report, key) || !truthy(args.trust)) continue;
          current = await listed(context, args);
          found = find(current, key);
          await setTrust(context, args, report, { key, found });
        }
        return report.return(args.name);
      },
    },
    "absent(name, keys=None, user=None, gnupghome=None, **kwargs)": {
      doc: "The keys are not in the ring.",
      async run(context, args) {
        const { name, user, gnupghome } = args;
        const report = new Report();
        const current = await listed(context, args);
        for (const key of wantedKeys(args)) {
          const found = find(current, key);
          if (found === undefined) {
            report.say(`${str(name)} not found in GPG keychain`);
            continue;
          }
          if (context.test) {
            report.plan(`GPG Public Key ${key} would be removed from the keychain`);
            continue;
          }
          // A public key needs no pass phrase.
          const options = { keyid: found.keyid, user, gnupghome, use_passphrase: false };
          const answer = await context.call("gpg.delete_key", [], options);
          if (refused(answer)) {
            report.fail(messageIn(answer));
            continue;
          }
          report.change(key, { removed: true });
          report.say(`Deleting ${str(name)} from GPG keychain`);
        }
        return report.return(name);
      },
    },
  }),
};
