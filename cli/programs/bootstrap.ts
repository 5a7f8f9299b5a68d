/** `brine bootstrap ID [MASTER]` on a master: prints the command that makes another host a minion of this master. */
import { joinPath } from "../../src/base/paths.ts";
import { fingerprint } from "../../src/protocol/crypto/rsa_key.ts";
import type { ProgramContext } from "../program/context.ts";
import { Exit } from "../program/exit.ts";
import { readMasterConfig } from "../program/read_master_config.ts";

/** Words that need no quoting in the command; `install.sh` refuses any others, too. */
const ID = /^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,199}$/;
const MASTER = /^[[\]A-Za-z0-9_:.-]+$/;
/** The port that minions use by default. */
const USUAL_PORT = 4506;
/** Addresses that stand for all interfaces of this host. */
const ANY = /^(?:0\.0\.0\.0|::|\[::\]|)$/;

/**
 * Prints the command. It contains the fingerprint of the master's key, so that the minion refuses any other master from the
 * start.
 *
 * @param words id of the minion, and optionally the name or address by which it reaches this master. @default the host's own
 * name
 */
export async function bootstrapMain(context: ProgramContext, words: readonly string[]): Promise<number> {
  const { runtime: { crypto, fs, host }, print, complain } = context;
  const [id, named] = words;
  if (id === undefined || words.length > 2) throw new Exit(64, "Usage: brine bootstrap ID [MASTER]");
  if (!ID.test(id)) {
    throw new Exit(64, `Cannot bootstrap "${id}": use letters, digits, dots, hyphens, underscores and @`);
  }
  if (named !== undefined && !MASTER.test(named)) throw new Exit(64, `"${named}" is not a host name or address`);
  const opts = await readMasterConfig(context, { client: true });
  const file = joinPath(opts.pki_dir, "master.pub");
  if (fs.stat(file)?.kind !== "file") {
    throw new Exit(1, `This master has no key yet (${file}): start the master once, which creates it`);
  }
  const address = String(opts.interface);
  const master = named ?? (ANY.test(address) ? await host.canonicalName() ?? host.hostname() : address);
  if (named === undefined) {
    complain(`The minion will connect to ${master}. To use another name: brine bootstrap ${id} NAME`);
  }
  const port = opts.ret_port === USUAL_PORT ? "" : ` --master-port ${opts.ret_port}`;
  // SHA-256 is the minion's default hash, whatever this master uses.
  const finger = fingerprint(crypto, fs.readText(file), "sha256");
  print(`sh install.sh minion --master ${master}${port} --id ${id} --fingerprint ${finger}\n`);
  return 0;
}
