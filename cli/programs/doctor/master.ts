/** Checks a master: pending keys, whether it answers, and which resources run short. */
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import { clusterSettings } from "../../../src/model/config/cluster.ts";
import { interfacesOf } from "../../../src/model/config/url.ts";
import { joinPath } from "../../../src/base/paths.ts";
import { fingerprint } from "../../../src/protocol/crypto/rsa_key.ts";
import { LocalClient } from "../../../src/client/local_client.ts";
import { messageOf } from "../../../src/base/errors.ts";
import { createLogger } from "../../../src/base/log.ts";
import { KeyDirectories } from "../../../src/host/master/keys/key_directories.ts";
import { spaceLeft } from "../../../src/runtime/little_space.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { counted, doubtful, type Finding, wrong } from "../../daemon/check/finding.ts";
import type { ProgramContext } from "../../program/context.ts";
import { waitingFile } from "../../cluster.ts";
import { examineCluster } from "./cluster.ts";
import type { Examination } from "./examination.ts";
import { reach } from "./reach.ts";

export async function examineMaster(
  context: ProgramContext,
  values: Record<string, unknown>,
  running: boolean,
): Promise<Examination> {
  const opts = values as MasterOpts;
  const { runtime } = context;
  const keys = examineKeys(runtime, opts);
  const space = examineSpace(runtime, opts);
  const answers = running ? await examineAnswers(context, values) : { well: [], findings: [] };
  return {
    well: [...keys.well, ...space.well, ...answers.well],
    findings: [...keys.findings, ...space.findings, ...answers.findings],
  };
}

/** Reports the master's fingerprint, and the number of keys with each status. */
function examineKeys({ fs, crypto }: Runtime, opts: MasterOpts): Examination {
  const pem = joinPath(opts.pki_dir, "master.pub");
  const well: string[] = [];
  const findings: Finding[] = [];
  try {
    if (fs.stat(pem) !== undefined) well.push(`fingerprint of its key: ${fingerprint(crypto, fs.readText(pem))}`);
    const keys = new KeyDirectories(fs, crypto, opts.pki_dir);
    const [accepted, pre, denied] = (["accepted", "pre", "denied"] as const).map((state) => keys.list(state).length);
    well.push(counted(accepted!, "accepted key"));
    if (pre! > 0) findings.push(doubtful(counted(pre!, "unaccepted key"), "list them: salt-key -l un"));
    if (denied! > 0) {
      findings.push(
        doubtful(
          `${counted(denied!, "denied key")}: another key is accepted for that id`,
          `list them: salt-key -l den. Two hosts may have the same id: compare salt-key -f ID with salt-call --local key.finger on each host, and give one of them another id. Then remove only the denied key: rm ${
            joinPath(opts.pki_dir, "minions_denied", "ID")
          }. Only if the host was reinstalled: salt-key -d ID, then accept its new key`,
        ),
      );
    }
  } catch (error) {
    findings.push(doubtful(`the keys cannot be read: ${messageOf(error)}`, `run this as user "${opts.user}"`));
  }
  return { well, findings };
}

function examineSpace({ fs }: Runtime, { cachedir }: MasterOpts): Examination {
  const left = spaceLeft(fs, cachedir);
  // The directory does not exist: the check of directories reports that.
  if (left === undefined) return { well: [], findings: [] };
  const shown = `${left.text} free in ${cachedir}`;
  if (!left.isLittle) return { well: [shown], findings: [] };
  return {
    well: [],
    findings: [wrong(shown, "free disk space: with a full disk, the master accepts no jobs and no returns")],
  };
}

/** Reports what a master of a cluster is waiting for before it serves. */
function waitsFor({ fs }: Runtime, { cachedir }: MasterOpts): Finding | undefined {
  const path = waitingFile(cachedir);
  try {
    if (fs.stat(path)?.kind !== "file") return undefined;
    const problem = `cluster: the master is waiting and does not serve yet: ${fs.readText(path)}`;
    return wrong(problem, "it continues as soon as that server is available");
  } catch {
    // The file belongs to another user: the check of the ports is enough.
    return undefined;
  }
}

/** Checks whether the master's ports, and its sockets for programs on this host, accept connections. */
async function examineAnswers(
  { runtime, options }: ProgramContext,
  values: Record<string, unknown>,
): Promise<Examination> {
  const opts = values as MasterOpts;
  const waits = clusterSettings(values) === undefined ? undefined : waitsFor(runtime, opts);
  if (waits !== undefined) return { well: [], findings: [waits] };
  const timeoutMs = Number(options.timeout) * 1000;
  const well: string[] = [];
  const findings: Finding[] = [];
  const bound = interfacesOf(opts.interface)[0]!;
  const host = bound === "0.0.0.0" ? "127.0.0.1" : bound === "::" ? "::1" : bound;
  for (const option of ["ret_port", "publish_port"] as const) {
    const serves = option === "ret_port" ? "requests" : "publications";
    const at = { host, port: opts[option], transport: String(opts.transport), serves, timeoutMs } as const;
    const problem = await reach(runtime, at);
    if (problem === undefined) well.push(`${option} ${opts[option]} answers`);
    else findings.push(wrong(`${option}: ${problem}`, "read its log; restart it if it hangs"));
  }
  try {
    const log = createLogger(() => {}, "quiet");
    const client = await LocalClient.open({ runtime, log, opts, requestTimeoutMs: timeoutMs });
    well.push(client.isBrine ? "this user can use the event bus" : "this user can use the event bus of Salt's master");
    if (!client.keyed) {
      findings.push(doubtful("this user may not run jobs without logging in", "use sudo, --auth, or publisher_acl"));
    } else if (clusterSettings(values) !== undefined) {
      const cluster = await examineCluster(client);
      well.push(...cluster.well);
      findings.push(...cluster.findings);
    }
    await client.close();
  } catch (error) {
    findings.push(doubtful(`programs of this user cannot use the master: ${messageOf(error)}`));
  }
  return { well, findings };
}
