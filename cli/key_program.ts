/** The program `salt-key`: lists, accepts, rejects and deletes keys in the master's directories. */
import { loadPair } from "../src/channel/key_pair.ts";
import type { KeyState } from "../src/channel/key_store.ts";
import { MASTER_OPTIONS, type MasterOpts } from "../src/config/master_opts.ts";
import { joinPath } from "../src/config/paths.ts";
import { fingerprint, generateKeyPair } from "../src/crypto/rsa_key.ts";
import { rsaSign } from "../src/crypto/rsa.ts";
import { messageOf } from "../src/errors.ts";
import { sendToBus } from "../src/event/ipc.ts";
import { KEY } from "../src/event/tag.ts";
import { KEY_DIRECTORIES, KeyDirectories, masterId, sortIds } from "../src/master/mod.ts";
import type { HashName } from "../src/runtime/crypto.ts";
import { matchExpression, PatternCache } from "../src/target/mod.ts";
import { packEvent } from "../src/wire/event_frame.ts";
import { makePrinter, type Printer } from "./printer.ts";
import { type ProgramContext, readConfig } from "./program.ts";

/** Statuses in the order of structured listings. */
const STATES: readonly KeyState[] = ["accepted", "pre", "rejected", "denied"];
/** The words of the sentences. */
const WORDS: Record<KeyState, string> = {
  accepted: "accepted",
  pre: "unaccepted",
  rejected: "rejected",
  denied: "denied",
};
/** The order in which the sentence "does not match" names them. */
const SENTENCE: readonly KeyState[] = ["pre", "accepted", "rejected", "denied"];

type Matches = Map<KeyState, string[]>;

interface Action {
  verb: "accept" | "reject" | "delete";
  done: string;
  /** Statuses that keys are taken from, in the order in which they are worked on. */
  from: KeyState[];
  /** What an empty answer means. */
  yesByDefault: boolean;
}

class KeyProgram {
  readonly #context: ProgramContext;
  readonly #opts: MasterOpts;
  readonly #keys: KeyDirectories;
  readonly #printer: Printer;
  readonly #structured: boolean;

  constructor(context: ProgramContext, opts: MasterOpts, printer: Printer) {
    this.#context = context;
    this.#opts = opts;
    this.#keys = new KeyDirectories(context.runtime.fs, context.runtime.crypto, opts.pki_dir);
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
    if (this.#structured) await this.#printer.document(data);
    else {
      const { render } = await import("../src/plugins/outputters/mod.ts");
      const color = this.#context.options.force_color === true ||
        (this.#context.terminal && this.#context.options.no_color !== true);
      this.#context.print(`${(await render("key", sorted, { color })).text}\n`);
    }
  }

  #matching(glob: string, states: readonly KeyState[]): Matches {
    const patterns = new PatternCache();
    const globs = glob.split(",").map((part) => patterns.glob(part));
    const found: Matches = new Map();
    for (const state of states) {
      const ids = this.#keys.list(state).filter((id) => globs.some((matches) => matches(id)));
      if (ids.length > 0) found.set(state, ids);
    }
    return found;
  }

  static #named(matches: Matches): Record<string, string[]> {
    const named: Record<string, string[]> = {};
    for (const state of STATES) if (matches.has(state)) named[KEY_DIRECTORIES[state]] = sortIds(matches.get(state)!);
    return named;
  }

  async list(status: string): Promise<void> {
    const chosen: Record<string, KeyState> = { acc: "accepted", pre: "pre", un: "pre", rej: "rejected", den: "denied" };
    const prefix = Object.keys(chosen).find((word) => status.startsWith(word));
    const states = prefix === undefined ? STATES : [chosen[prefix]!];
    await this.#show(Object.fromEntries(states.map((state) => [KEY_DIRECTORIES[state], this.#keys.list(state)])));
  }

  /** What of each key is shown: its text, or its fingerprint. */
  async describe(glob: string, what: (pem: string) => string, withLocal: boolean): Promise<void> {
    const { fs } = this.#context.runtime;
    const shown: Record<string, Record<string, string>> = {};
    for (const [state, ids] of this.#matching(glob, STATES)) {
      shown[KEY_DIRECTORIES[state]] = Object.fromEntries(ids.map((id) => [id, what(this.#keys.read(state, id) ?? "")]));
    }
    if (withLocal && fs.stat(this.#opts.pki_dir)?.kind === "directory") {
      for (const name of fs.list(this.#opts.pki_dir)) {
        if (!name.endsWith(".pub") || !glob.split(",").some((part) => matchExpression(name, part))) continue;
        (shown.local ??= {})[name] = what(fs.readText(joinPath(this.#opts.pki_dir, name)));
      }
    }
    if (Object.keys(shown).length > 0) await this.#show(shown);
  }

  finger = (pem: string): string => fingerprint(this.#context.runtime.crypto, pem, this.#opts.hash_type as HashName);

  async change(glob: string, action: Action): Promise<number> {
    const { options, print, complain, log } = this.#context;
    const matches = this.#matching(glob, action.from);
    if (matches.size === 0) {
      const named = action.verb === "delete"
        ? ["pre" as const]
        : SENTENCE.filter((state) => action.from.includes(state));
      const words = named.map((state) => WORDS[state]);
      const last = words.pop()!;
      const list = words.length === 0 ? last : `${words.join(", ")} or ${last}`;
      print(`The key glob '${glob}' does not match any ${list} keys.\n`);
      return 0;
    }
    print(`The following keys are going to be ${action.done}:\n`);
    await this.#show(KeyProgram.#named(matches));
    if (options.yes !== true && !await this.#agreed(action.yesByDefault)) return 0;
    const gone: string[] = [];
    for (const state of action.from) {
      for (const id of matches.get(state) ?? []) {
        if (action.verb === "accept" && !this.#isKey(state, id)) {
          log.error(`Invalid RSA public key: ${id}`);
          complain(`Unable to accept invalid key for ${id}.`);
          continue;
        }
        try {
          this.#move(id, state, action.verb);
        } catch (error) {
          complain(`Unable to ${action.verb} the key for ${id}: ${messageOf(error)}`);
          continue;
        }
        gone.push(id);
        print(`Key for minion ${id} ${action.done}.\n`);
      }
    }
    await this.#tell(gone, action.verb);
    return 0;
  }

  #isKey(state: KeyState, id: string): boolean {
    try {
      this.#context.runtime.crypto.loadPublicKey(this.#keys.read(state, id) ?? "");
      return true;
    } catch {
      return false;
    }
  }

  #move(id: string, from: KeyState, verb: Action["verb"]): void {
    if (verb !== "delete") {
      this.#keys.write(verb === "accept" ? "accepted" : "rejected", id, this.#keys.read(from, id) ?? "");
    }
    this.#keys.remove(from, id);
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

  /** Events for whoever watches, and what must go with a key that is gone. */
  async #tell(ids: readonly string[], verb: Action["verb"]): Promise<void> {
    if (ids.length === 0) return;
    const { runtime, options } = this.#context;
    const { fs, clock, net } = runtime;
    try {
      using bus = await sendToBus(net, { kind: "unix", path: joinPath(this.#opts.sock_dir, "master_event_pull.ipc") });
      for (const id of ids) bus.send(packEvent(KEY, { result: true, act: verb, id }, { now: clock.now() }));
    } catch {
      // No master is running: there is nobody to tell.
    }
    if (verb === "accept") return;
    if (options.preserve_minions !== true && !this.#opts.preserve_minion_cache) {
      for (const id of ids) {
        if (STATES.some((state) => this.#keys.has(state, id))) continue;
        fs.remove(joinPath(this.#opts.cachedir, "minions", id), { recursive: true });
        fs.remove(joinPath(this.#opts.cachedir, "sessions", id), { recursive: true });
      }
    }
    if (options.rotate_aes_key !== false && this.#opts.rotate_aes_key) {
      // Since 3007 a master leaves alone what does not hold its own id; before, it did not read it at all.
      const drop = joinPath(this.#opts.cachedir, ".dfn");
      fs.mkdir(this.#opts.cachedir);
      fs.write(drop, masterId(this.#opts, runtime.host.hostname()), { mode: 0o400 });
    }
  }

  async generate(name: string): Promise<void> {
    const { runtime, options } = this.#context;
    const directory = String(options.gen_keys_dir ?? ".");
    const pair = await generateKeyPair(runtime.crypto, { bits: Number(options.keysize) });
    runtime.fs.mkdir(directory);
    runtime.fs.write(joinPath(directory, `${name}.pem`), pair.privatePem, { mode: 0o400 });
    runtime.fs.write(joinPath(directory, `${name}.pub`), pair.publicPem, { mode: 0o644 });
    await this.#printer.document({ return: this.finger(pair.publicPem) });
  }

  async sign(): Promise<void> {
    const { runtime, options, log } = this.#context;
    const { fs, crypto } = runtime;
    const { pki_dir, master_sign_key_name: name } = this.#opts;
    const result = async (): Promise<unknown> => {
      const privatePath = String(options.priv || joinPath(pki_dir, `${name}.pem`));
      const publicPath = String(options.pub || joinPath(pki_dir, "master.pub"));
      if (options.auto_create === true && fs.stat(privatePath) === undefined) {
        await loadPair(runtime, log, { pkiDir: pki_dir, name, keySize: Number(options.keysize) });
        if (fs.stat(publicPath) === undefined) {
          await loadPair(runtime, log, { pkiDir: pki_dir, name: "master", keySize: 2048 });
        }
      }
      if (fs.stat(privatePath) === undefined) {
        return options.priv ? `Private-key ${privatePath} does not exist` : "No usable private-key found";
      }
      if (fs.stat(publicPath) === undefined) {
        return options.pub ? `Public-key ${publicPath} does not exist` : "No usable public-key found";
      }
      const key = crypto.loadPrivateKey(fs.readText(privatePath));
      const { cleanPem } = await import("../src/crypto/rsa_key.ts");
      const text = new TextEncoder().encode(cleanPem(fs.readText(publicPath)));
      const signature = rsaSign(crypto, this.#opts.publish_signing_algorithm, key, text);
      const target = String(options.signature_path || joinPath(pki_dir, this.#opts.master_pubkey_signature));
      fs.write(target, btoa(String.fromCharCode(...signature)), { mode: 0o644 });
      return true;
    };
    await this.#printer.document({ return: await result() });
  }
}

/** Runs the first of the actions that was asked for; a listing if none was. */
export async function keyMain(context: ProgramContext): Promise<number> {
  const { opts: values } = await readConfig(context, "master", MASTER_OPTIONS, false);
  const opts = values as MasterOpts;
  if (opts.id === "") opts.id = context.runtime.host.hostname();
  const { options } = context;
  const program = new KeyProgram(context, opts, await makePrinter(context, opts));
  const include = (...extra: [name: string, state: KeyState][]) =>
    extra.filter(([name]) => options[name] === true).map(([, state]) => state);
  const accept: Action = {
    verb: "accept",
    done: "accepted",
    yesByDefault: true,
    from: [
      ...new Set<KeyState>([
        "pre",
        ...include(["include_all", "rejected"], ["include_rejected", "rejected"], ["include_denied", "denied"]),
      ]),
    ],
  };
  const reject: Action = {
    verb: "reject",
    done: "rejected",
    yesByDefault: true,
    from: [
      ...new Set<KeyState>([
        "pre",
        ...include(["include_all", "accepted"], ["include_accepted", "accepted"], ["include_denied", "denied"]),
      ]),
    ],
  };
  const remove: Action = {
    verb: "delete",
    done: "deleted",
    yesByDefault: false,
    from: ["accepted", "pre", "rejected", "denied"],
  };
  const text = (name: string) => String(options[name] ?? "");

  // In this order, as Salt has it: of several actions only the first is done.
  if (text("gen_keys") !== "") await program.generate(text("gen_keys"));
  else if (options.gen_signature === true) await program.sign();
  else if (text("list") !== "") await program.list(text("list"));
  else if (options.list_all === true) await program.list("all");
  else if (text("print") !== "") await program.describe(text("print"), (pem) => pem, false);
  else if (options.print_all === true) await program.describe("*", (pem) => pem, false);
  else if (text("accept") !== "") return await program.change(text("accept"), accept);
  else if (options.accept_all === true) return await program.change("*", accept);
  else if (text("reject") !== "") return await program.change(text("reject"), reject);
  else if (options.reject_all === true) return await program.change("*", reject);
  else if (text("delete") !== "") return await program.change(text("delete"), remove);
  else if (options.delete_all === true) return await program.change("*", remove);
  else if (text("finger") !== "") await program.describe(text("finger"), program.finger, true);
  else if (options.finger_all === true) await program.describe("*", program.finger, true);
  else await program.list("all");
  return 0;
}
