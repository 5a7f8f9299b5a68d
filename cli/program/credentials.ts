/** Credentials of a user at a command line: `-a`, `--username`, `--password`, `-T`. */
import type { Credentials } from "../../src/client/publish_request.ts";
import type { LocalClient } from "../../src/client/local_client.ts";
import { makeToken, readToken } from "../../src/client/tokens.ts";
import type { MasterOpts } from "../../src/model/config/master_opts.ts";
import { joinPath } from "../../src/base/paths.ts";
import { messageOf } from "../../src/base/errors.ts";
import { Exit } from "./exit.ts";
import type { ProgramContext } from "./context.ts";

/** The file that stores a token for later calls, as in Salt. */
function tokenFile({ runtime }: ProgramContext, opts: MasterOpts): string {
  if (typeof opts.token_file === "string" && opts.token_file !== "") return opts.token_file;
  // Expand `~` like a shell: from HOME, else from the user's account.
  const said = runtime.process.env("HOME");
  const home = said?.startsWith("/") === true ? said : runtime.host.user().home;
  const config = runtime.process.env("XDG_CONFIG_HOME");
  const directory = joinPath(config === undefined || config === "" ? joinPath(home, ".config") : config, "salt");
  return joinPath(runtime.fs.stat(directory)?.kind === "directory" ? directory : home, "salt_token");
}

/** The stored token, if it is still valid. */
async function keptToken(context: ProgramContext, opts: MasterOpts, client: LocalClient): Promise<string | undefined> {
  const { fs } = context.runtime;
  const path = tokenFile(context, opts);
  if (fs.stat(path)?.kind !== "file") return undefined;
  const token = fs.readText(path).trim();
  const wanted = String(context.options.eauth ?? "");
  const known = token === "" ? undefined : await readToken(client, token);
  return known !== undefined && (wanted === "" || known.eauth === wanted) ? token : undefined;
}

function keep(context: ProgramContext, opts: MasterOpts, token: string): void {
  const { fs } = context.runtime;
  const path = tokenFile(context, opts);
  try {
    // The mode is set before the token is written, so that others can never read it.
    fs.write(path, token, { mode: 0o600 });
  } catch (error) {
    context.complain(`WARNING: the token could not be saved for the next call: ${messageOf(error)}`);
  }
}

/** User name and password, from options or from prompts; the password is not echoed. */
async function asked(context: ProgramContext, eauth: string): Promise<Credentials> {
  const { options, runtime } = context;
  const given = (name: string) => typeof options[name] === "string" ? options[name] as string : undefined;
  const username = given("username") ?? await context.prompt("username: ") ?? "";
  const password = given("password") ?? await context.prompt("password: ", { hidden: true }) ?? "";
  return { eauth, username: username === "" ? runtime.host.user().name : username, password };
}

/** Backends of Salt that Brine does not have: the master may be Salt's. */
const OF_SALT = ["django", "keystone", "mysql", "pki", "yubico"];

/**
 * Checks the name of a backend before anybody types a password. Scripts read these lines.
 *
 * @throws {Exit} with `exitCode` if neither Brine nor Salt has it, and the master's configuration does not name it
 */
async function checkBackend({ print }: ProgramContext, opts: MasterOpts, eauth: string, exitCode: number) {
  const { EAUTH } = await import("../../src/plugins/eauth/mod.ts");
  const known = Object.keys(EAUTH);
  if ([...known, ...OF_SALT, ...Object.keys(opts.external_auth)].includes(eauth)) return;
  print(`The specified external authentication system "${eauth}" is not available\n`);
  print(`Available eauth types: ${known.sort().join(", ")}\n`);
  throw new Exit(exitCode, "ERROR: Authentication failed");
}

/**
 * Credentials for the master instead of this host's user; undefined if none were asked for.
 * @param exitCode of a backend that does not exist: 2 of `salt`, as in Salt
 * @throws {Exit} 2 if the master does not accept them
 */
export async function credentialsOf(
  context: ProgramContext,
  opts: MasterOpts,
  client: LocalClient,
  exitCode = 2,
): Promise<Credentials | undefined> {
  const { options } = context;
  const eauth = typeof options.eauth === "string" ? options.eauth : "";
  if (eauth === "") {
    if (client.keyed) return undefined;
    const token = await keptToken(context, opts, client);
    return token === undefined ? undefined : { token };
  }
  await checkBackend(context, opts, eauth, exitCode);
  // A user name that is given goes before a kept token.
  const named = options.username !== undefined && options.username !== null;
  const kept = named || options.mktoken === true ? undefined : await keptToken(context, opts, client);
  if (kept !== undefined) return { token: kept };
  const credentials = await asked(context, eauth);
  if (options.mktoken !== true) return credentials;
  const made = await makeToken(client, credentials);
  if (made === undefined) throw new Exit(2, "ERROR: Authentication failed");
  keep(context, opts, made.token);
  return { token: made.token };
}
