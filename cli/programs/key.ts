/** The program `salt-key`: lists, accepts, rejects and deletes keys in the master's directories. */
import type { KeyStatus } from "../../src/protocol/channel/key_store.ts";
import type { MasterOpts } from "../../src/model/config/master_opts.ts";
import { messageOf } from "../../src/base/errors.ts";
import type { KeyDirectory, KeyMatches } from "../../src/model/loader/wheel.ts";
import { KEY_DIRECTORIES } from "../../src/host/master/keys/key_directories.ts";
import type { KeyAction } from "../../src/host/master/keys/key_admin.ts";
import { printable } from "../../src/base/printable.ts";
import { ALL_STATUSES, type KeyAccess, ownHands, throughMaster } from "./key/key_access.ts";
import { makePrinter, type Printer } from "../terminal/printer.ts";
import { becomeUser } from "../program/become_user.ts";
import { Exit } from "../program/exit.ts";
import type { ProgramContext } from "../program/context.ts";
import { readMasterConfig } from "../program/read_master_config.ts";

/** Words for statuses in sentences. */
const WORDS: Record<KeyStatus, string> = {
  accepted: "accepted",
  pre: "unaccepted",
  rejected: "rejected",
  denied: "denied",
};
/** Order of the statuses in the sentence "does not match". */
const SENTENCE: readonly KeyStatus[] = ["pre", "accepted", "rejected", "denied"];

interface Action {
  verb: KeyAction;
  done: string;
  /** Statuses of the keys that the action takes, in the order of work. */
  from: KeyStatus[];
  /** Statuses that the sentence "does not match" lists. */
  named: KeyStatus[];
  /** True if an empty answer means yes. */
  yesByDefault: boolean;
}

class KeyProgram {
  readonly #context: ProgramContext;
  readonly #keys: KeyAccess;
  readonly #printer: Printer;
  readonly #structured: boolean;

  constructor(context: ProgramContext, opts: MasterOpts, printer: Printer, keys: KeyAccess) {
    this.#context = context;
    this.#keys = keys;
    this.#printer = printer;
    const wanted = String(context.options.output ?? opts.output ?? "");
    this.#structured = wanted !== "" && wanted !== "key" && wanted !== "highstate";
  }

  async #show(data: Record<string, unknown>): Promise<void> {
    const sorted = Object.fromEntries(
      Object.entries(data).map((
        [name, ids],
      ) => [name, Array.isArray(ids) && !this.#structured ? [...ids].sort() : ids]),
    );
    await this.#printer.document(this.#structured ? data : sorted, "key");
  }

  async list(status: string): Promise<void> {
    const chosen: Record<string, KeyStatus> = {
      acc: "accepted",
      pre: "pre",
      un: "pre",
      rej: "rejected",
      den: "denied",
    };
    const prefix = Object.keys(chosen).find((word) => status.startsWith(word));
    const all = await this.#keys.list();
    const statuses = prefix === undefined ? ALL_STATUSES : [KEY_DIRECTORIES[chosen[prefix]!] as KeyDirectory];
    await this.#show(Object.fromEntries(statuses.map((status) => [status, all[status]])));
  }

  async describe(glob: string, what: "texts" | "fingerprints"): Promise<void> {
    const shown = await this.#keys[what](glob);
    // Structured output such as JSON shows an empty result, too.
    if (this.#structured || Object.keys(shown).length > 0) await this.#show(shown);
  }

  async change(glob: string, action: Action): Promise<number> {
    const { options, print, complain, log } = this.#context;
    const matches = await this.#keys.matching(glob, action.from);
    if (Object.keys(matches).length === 0) {
      const named = SENTENCE.filter((state) => action.named.includes(state));
      const words = named.map((state) => WORDS[state]);
      const last = words.pop()!;
      const list = words.length === 0 ? last : `${words.join(", ")} or ${last}`;
      print(`The key glob '${glob}' does not match any ${list} keys.\n`);
      return 0;
    }
    print(`The following keys are going to be ${action.done}:\n`);
    await this.#show(matches);
    const replaces = action.verb === "accept" && await this.#sayReplaced(glob, matches);
    if (options.yes !== true && !await this.#agreed(action.yesByDefault && !replaces)) return 0;
    const gone: string[] = [];
    for (const state of action.from) {
      const ids = matches[KEY_DIRECTORIES[state] as KeyDirectory] ?? [];
      const problems = new Map((await this.#keys.move(action.verb, state, ids)).map((one) => [one.id, one]));
      for (const id of ids) {
        const problem = problems.get(id);
        if (problem === undefined) {
          gone.push(id);
          print(`Key for minion ${printable(id)} ${action.done}.\n`);
        } else if (problem.reason === "invalid") {
          log.error(`Invalid RSA public key: ${id}`);
          complain(`Unable to accept invalid key for ${printable(id)}.`);
        } else complain(`Unable to ${action.verb} the key for ${printable(id)}: ${problem.message}`);
      }
    }
    await this.#keys.settle(action.verb, gone);
    return 0;
  }

  /** Prints accepted keys that would be replaced by others of the same id. Returns true if there are any. */
  async #sayReplaced(glob: string, matches: KeyMatches): Promise<boolean> {
    const accepted = new Set((await this.#keys.matching(glob, ["accepted"])).minions);
    const others = Object.entries(matches).flatMap(([status, ids]) => (ids ?? []).map((id) => ({ status, id })))
      .filter(({ id }) => accepted.has(id));
    if (others.length === 0) return false;
    const fingers = await this.#keys.fingerprints(glob);
    let any = false;
    for (const { status, id } of others) {
      const [old, next] = [fingers.minions?.[id], fingers[status]?.[id]];
      if (old === next) continue;
      any = true;
      this.#context.complain(
        `WARNING: ${printable(id)} has an accepted key already: ${old}. ` +
          `Accepting ${next} replaces it, and disconnects the host that holds it.`,
      );
    }
    return any;
  }

  async #agreed(byDefault: boolean): Promise<boolean> {
    const { print, complain, stdinLine } = this.#context;
    print(byDefault ? "Proceed? [n/Y] " : "Proceed? [N/y] ");
    const answer = await stdinLine();
    if (answer === undefined) {
      complain("Error: EOF when reading a line");
      return false;
    }
    return answer.trim() === "" ? byDefault : /^y/i.test(answer.trim());
  }

  async generate(name: string): Promise<void> {
    const { options } = this.#context;
    const finger = await this.#keys.generate(String(options.gen_keys_dir ?? "."), name, Number(options.keysize));
    await this.#printer.document({ return: finger });
  }

  async sign(): Promise<void> {
    const { options } = this.#context;
    const result = await this.#keys.sign({
      priv: String(options.priv ?? ""),
      pub: String(options.pub ?? ""),
      target: String(options.signature_path ?? ""),
      create: options.auto_create === true,
      bits: Number(options.keysize),
    });
    await this.#printer.document({ return: result });
  }

  /** Asks minions to rotate their keys. */
  async rotate(glob: string): Promise<void> {
    const { print } = this.#context;
    const ids = await this.#keys.rotate(glob);
    if (this.#structured) return await this.#printer.document({ minions: ids });
    if (ids.length === 0) print(`The key glob '${glob}' does not match any accepted keys.\n`);
    for (const id of ids) print(`Minion ${printable(id)} is asked to change its key.\n`);
  }

  /** Shows who decided what about the keys of a glob, oldest first. */
  async history(glob: string): Promise<void> {
    const decisions = await this.#keys.history(glob);
    if (this.#structured) return await this.#printer.document(decisions);
    for (const { time, act, id, was, finger, new_finger, replaced, user, via, from } of decisions) {
      const keys = [finger, new_finger].filter((one) => one !== undefined).join(" -> ");
      const line = [time, act, id, was === undefined ? "" : `(was ${was})`, `by ${user} (${via})`];
      line.push(from === undefined ? "" : `from ${from}`, keys, replaced === undefined ? "" : `replaced ${replaced}`);
      this.#context.print(`${printable(line.filter((part) => part !== "").join(" "))}\n`);
    }
  }
}

/** Access to keys through the running master, for a user who logs in. */
async function loggedIn(context: ProgramContext, opts: MasterOpts): Promise<{ keys: KeyAccess } & AsyncDisposable> {
  const [{ LocalClient }, { credentialsOf }] = await Promise.all([
    import("../../src/client/local_client.ts"),
    import("../program/credentials.ts"),
  ]);
  try {
    const client = await LocalClient.open({ runtime: context.runtime, log: context.log, opts });
    const credentials = await credentialsOf(context, opts, client, 0);
    const keys = throughMaster(client, credentials ?? {});
    return { keys, [Symbol.asyncDispose]: () => client.close() };
  } catch (error) {
    throw error instanceof Exit ? error : new Exit(2, messageOf(error));
  }
}

/** Runs the first of the requested actions; lists keys if there is none. */
export async function keyMain(context: ProgramContext): Promise<number> {
  if (context.options.delete_all === true && context.positionals.length > 0) {
    // Exit code and sentence are Salt's.
    throw new Exit(0, "Error: Delete all takes no arguments. Use -d to delete specified keys");
  }
  await becomeUser(context);
  const opts = await readMasterConfig(context, { client: true });
  if (opts.id === "") opts.id = context.runtime.host.hostname();
  const { options } = context;
  const printer = await makePrinter(context, opts);
  await using login = options.eauth ? await loggedIn(context, opts) : undefined;
  const program = new KeyProgram(context, opts, printer, login?.keys ?? ownHands(context, opts));
  const include = (...extra: [name: string, state: KeyStatus][]) =>
    extra.filter(([name]) => options[name] === true).map(([, state]) => state);
  const fromAccept: KeyStatus[] = [
    ...new Set<KeyStatus>([
      "pre",
      ...include(["include_all", "rejected"], ["include_rejected", "rejected"], ["include_denied", "denied"]),
    ]),
  ];
  const accept: Action = { verb: "accept", done: "accepted", yesByDefault: true, from: fromAccept, named: fromAccept };
  const fromReject: KeyStatus[] = [
    ...new Set<KeyStatus>([
      "pre",
      ...include(["include_all", "accepted"], ["include_accepted", "accepted"], ["include_denied", "denied"]),
    ]),
  ];
  const reject: Action = { verb: "reject", done: "rejected", yesByDefault: true, from: fromReject, named: fromReject };
  const remove: Action = {
    verb: "delete",
    done: "deleted",
    yesByDefault: false,
    from: ["accepted", "pre", "rejected", "denied"],
    named: [
      "pre",
      ...include(["include_accepted", "accepted"], ["include_rejected", "rejected"], ["include_denied", "denied"]),
    ],
  };
  const text = (name: string) => String(options[name] ?? "");

  // As in Salt, only the first of several actions is done, in this order.
  if (text("gen_keys") !== "") await program.generate(text("gen_keys"));
  else if (options.gen_signature === true) await program.sign();
  else if (text("list") !== "") await program.list(text("list"));
  else if (options.list_all === true) await program.list("all");
  else if (text("print") !== "") await program.describe(text("print"), "texts");
  else if (options.print_all === true) await program.describe("*", "texts");
  else if (text("accept") !== "") return await program.change(text("accept"), accept);
  else if (options.accept_all === true) return await program.change("*", accept);
  else if (text("reject") !== "") return await program.change(text("reject"), reject);
  else if (options.reject_all === true) return await program.change("*", reject);
  else if (text("delete") !== "") return await program.change(text("delete"), remove);
  else if (options.delete_all === true) return await program.change("*", remove);
  else if (text("finger") !== "") await program.describe(text("finger"), "fingerprints");
  else if (options.finger_all === true) await program.describe("*", "fingerprints");
  else if (text("rotate") !== "") await program.rotate(text("rotate"));
  else if (text("history") !== "") await program.history(text("history"));
  else await program.list("all");
  return 0;
}
