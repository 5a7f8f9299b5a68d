import { CommandNotFoundError } from "../../model/loader/family.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunction, stateFunctions } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { portComplaint } from "../modules/ssh/known_hosts.ts";
import { fails, messageFor } from "./outcome.ts";

type Answer = Record<string, unknown>;

const configOf = ({ user, config }: Args): string =>
  truthy(config) ? str(config) : truthy(user) ? ".ssh/known_hosts" : "/etc/ssh/ssh_known_hosts";

/** What is wrong with the arguments. */
const problemOf = ({ user }: Args, config: string): string | undefined =>
  !truthy(user) && !config.startsWith("/") ? 'If not specifying a "user", specify an absolute "config".' : undefined;

async function predictPresent(context: StateContext, args: Args, config: string): Promise<StateReturn> {
  const { name, user, key, fingerprint, port, enc, fingerprint_hash_type } = args;
  if (truthy(key) && truthy(fingerprint)) {
    return outcome(name, false, 'Specify either "key" or "fingerprint", not both.');
  }
  if (truthy(key) && !truthy(enc)) return outcome(name, false, 'Required argument "enc" if using "key" argument.');
  const options = { key, fingerprint, config, port, fingerprint_hash_type };
  const answer = await context.call("ssh.check_known_host", [user, name], options).catch(
    fails("ssh.check_known_host error: ", messageFor(CommandNotFoundError)),
  );
  if (typeof answer === "object" && answer !== null && "error" in answer) {
    return outcome(name, false, str(answer.error));
  }
  if (answer === "exists") return outcome(name, true, `Host ${str(name)} is already in ${config}`);
  const change = answer === "add" ? "added to" : "updated in";
  return outcome(name, null, `Key for ${str(name)} is set to be ${change} ${config}`);
}

export const states: StateModule = {
  functions: stateFunctions({
    present: stateFunction({
      signature: `name, user=None, fingerprint=None, key=None, port=None, enc=None, config=None,
        hash_known_hosts=True, timeout=5, fingerprint_hash_type=None`,
      doc: "The key of the host is known: the one given, or the one that the host shows, with that fingerprint.",
      async run(context, args) {
        const { name, user, key, fingerprint, enc } = args;
        const config = configOf(args);
        const problem = problemOf(args, config);
        const complaint = problem ?? portComplaint(args);
        if (complaint !== undefined) return outcome(name, false, complaint);
        if (context.test) return await predictPresent(context, args, config);
        const { port, hash_known_hosts, timeout, fingerprint_hash_type } = args;
        const options = { user, hostname: name, fingerprint, key, port, enc, config, hash_known_hosts, timeout };
        const answer = await context.call("ssh.set_known_host", [], { ...options, fingerprint_hash_type }) as Answer;
        if (answer.status === "exists") return outcome(name, true, `${str(name)} already exists in ${config}`);
        if (answer.status === "error") return outcome(name, false, str(answer.error));
        const [first = {}] = answer.new as Answer[];
        const saved = (what: string, proof = "") => `${str(name)}'s ${what} saved to ${config}${proof}`;
        const comment = truthy(key)
          ? saved("key", ` (key: ${str(first.key)})`)
          : truthy(fingerprint)
          ? saved("key", ` (fingerprint: ${str(first.fingerprint)})`)
          : truthy(enc)
          ? saved(`${str(enc)} key`, ` (key: ${str(first.key)})`)
          : saved("key(s)");
        return outcome(name, true, comment, { old: answer.old, new: answer.new });
      },
    }),
    "absent(name, user=None, config=None)": {
      doc: "No key of the host is known.",
      async run(context, args) {
        const { name, user } = args;
        const config = configOf(args);
        const problem = problemOf(args, config);
        if (problem !== undefined) return outcome(name, false, problem);
        const known = await context.call("ssh.get_known_host_entries", [], { user, hostname: name, config });
        if (!truthy(known)) return outcome(name, true, "Host is already absent");
        if (context.test) return outcome(name, null, `Key for ${str(name)} is set to be removed from ${config}`);
        const answer = await context.call("ssh.rm_known_host", [], { user, hostname: name, config }) as Answer;
        if (answer.status === "error") return outcome(name, false, str(answer.error));
        return outcome(name, true, str(answer.comment), { old: known, new: null });
      },
    },
  }),
};
