import type { EauthContext, EauthCredentials, EauthModule } from "../../model/loader/eauth.ts";
import type { SpawnOptions } from "../../runtime/process.ts";
import { which } from "../linux/programs.ts";

const utf8 = new TextEncoder();
/** Time that PAM may take to answer. */
const LIMIT_MS = 60_000;
/** Valid account names; anything else never reaches a program. */
const NAME = /^[A-Za-z0-9_.][A-Za-z0-9_.@\\+-]{0,255}\$?$/;

/**
 * Speaks to the PAM library of the host: service and user are words of its command line, the password comes on its standard
 * input. Both stages are asked, so that a locked or expired account is refused.
 */
const PAM_PROGRAM = `
import ctypes as c, ctypes.util as u, sys
password = sys.stdin.buffer.read()
service, user = (word.encode() for word in sys.argv[1:3])
libc, pam = c.CDLL(u.find_library("c")), c.CDLL(u.find_library("pam"))
class Message(c.Structure): _fields_ = [("style", c.c_int), ("text", c.c_char_p)]
class Response(c.Structure): _fields_ = [("text", c.c_void_p), ("code", c.c_int)]
libc.calloc.restype = libc.strdup.restype = c.c_void_p
libc.calloc.argtypes = [c.c_size_t, c.c_size_t]
libc.strdup.argtypes = [c.c_char_p]
Talk = c.CFUNCTYPE(c.c_int, c.c_int, c.POINTER(c.POINTER(Message)), c.POINTER(c.c_void_p), c.c_void_p)
class Conversation(c.Structure): _fields_ = [("talk", Talk), ("data", c.c_void_p)]
def answer(count, messages, out, data):
    memory = libc.calloc(count, c.sizeof(Response))
    out[0] = memory
    replies = c.cast(memory, c.POINTER(Response))
    for at in range(count):
        style = messages[at].contents.style
        if style in (1, 2):
            replies[at].text = libc.strdup(password if style == 1 else user)
    return 0
conversation, handle = Conversation(Talk(answer), None), c.c_void_p()
pam.pam_start.argtypes = [c.c_char_p, c.c_char_p, c.POINTER(Conversation), c.POINTER(c.c_void_p)]
pam.pam_authenticate.argtypes = pam.pam_acct_mgmt.argtypes = pam.pam_end.argtypes = [c.c_void_p, c.c_int]
status = pam.pam_start(service, user, c.byref(conversation), c.byref(handle))
if status == 0: status = pam.pam_authenticate(handle, 0)
if status == 0: status = pam.pam_acct_mgmt(handle, 0)
if handle: pam.pam_end(handle, status)
sys.exit(0 if status == 0 else 1)
`;

interface Answer {
  code: number | null;
  stdout: string;
}

/** Runs a program to its end; one that takes too long is killed. */
async function ask({ runtime }: EauthContext, argv: readonly string[], stdin: string): Promise<Answer> {
  let stdout = "";
  const options: SpawnOptions = {
    argv,
    env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8" },
    stdin: utf8.encode(stdin),
    onStdout: (chunk) => void (stdout += new TextDecoder().decode(chunk)),
  };
  const child = await runtime.process.spawn(options);
  const cancel = runtime.clock.after(LIMIT_MS, () => child.kill("SIGKILL"));
  const { code } = await child.exited;
  cancel();
  return { code, stdout };
}

/** The ways to ask PAM that this host has, best first. */
function ways(context: EauthContext): ((shown: EauthCredentials) => Promise<boolean>)[] {
  const { runtime: { fs }, opts } = context;
  const service = String(opts["auth.pam.service"] ?? "login");
  const found: ((shown: EauthCredentials) => Promise<boolean>)[] = [];
  const program = (name: string) => which(fs, name, undefined);
  const tester = program("pamtester");
  if (tester !== undefined) {
    found.push(async ({ username, password }) =>
      (await ask(context, [tester, service, username, "authenticate", "acct_mgmt"], `${password}\n`)).code === 0
    );
  }
  const python = program(String(opts["auth.pam.python"] ?? "/usr/bin/python3"));
  if (python !== undefined) {
    found.push(async ({ username, password }) =>
      (await ask(context, [python, "-I", "-c", PAM_PROGRAM, service, username], password)).code === 0
    );
  }
  const check = program("unix_chkpwd");
  if (check !== undefined) {
    // PAM's own helper, for accounts of this host alone: first the password, then whether the account may be used.
    found.push(async ({ username, password }) =>
      (await ask(context, [check, username, "nonull"], `${password}\0`)).code === 0 &&
      (await ask(context, [check, username, "chkexpiry"], "")).code === 0
    );
  }
  return found;
}

/** The groups of an account; undefined if there is no such account. */
async function groupsOf(context: EauthContext, name: string): Promise<string[] | undefined> {
  const { code, stdout } = await ask(context, ["id", "-Gn", "--", name], "");
  return code === 0 ? stdout.trim().split(/\s+/) : undefined;
}

/** Accounts of the host, by its PAM service `auth.pam.service`; never root. */
export const eauth: EauthModule = {
  virtual: (context) =>
    context.runtime.process.platform !== "linux"
      ? { unavailable: "PAM works on Linux only" }
      : ways(context).length > 0
      ? true
      : { unavailable: "pamtester, python3 and unix_chkpwd are missing: install pamtester" },
  async authenticate(context, { username, password }) {
    if (!NAME.test(username) || username === "root" || /[\0\n\r]/.test(password)) return undefined;
    const { log } = context;
    if (!await ways(context)[0]!({ username, password })) {
      const { uid } = context.runtime.host.user();
      if (uid !== 0 && !context.runtime.fs.access("/etc/shadow", "read")) {
        log.error(
          "PAM refuses users whose passwords it cannot check: run the master as root, or add its user to the group shadow",
          {
            uid,
          },
        );
      }
      return undefined;
    }
    return { name: username, groups: await groupsOf(context, username) ?? [] };
  },
  async find(context, name) {
    const groups = NAME.test(name) ? await groupsOf(context, name) : undefined;
    return groups && { name, groups };
  },
};
