import { isRecord } from "../../base/record.ts";
import { dirName, joinPath } from "../../base/paths.ts";
import type { RunnerContext } from "../../model/loader/family.ts";
import { sizeText, spaceLeft } from "../../runtime/little_space.ts";

/** Something at the master that needs an operator. */
interface MasterIssue {
  /** What it is about: `disk`, `returns`, `spool`, `certificate` or `reactor`. */
  kind: string;
  level: "error" | "warning";
  text: string;
  remedy: string;
}

type Look = (context: RunnerContext) => MasterIssue[] | Promise<MasterIssue[]>;

/** What is wrong at the master of this host, as far as its files and its answers tell. What cannot be looked at is left out. */
export async function masterIssues(context: RunnerContext): Promise<MasterIssue[]> {
  const found: MasterIssue[] = [];
  for (const look of LOOKS) {
    try {
      found.push(...await look(context));
    } catch {
      // The master does not answer, or a file belongs to another user: salt-doctor says which.
    }
  }
  return found;
}

const textOf = (value: unknown): string => typeof value === "string" ? value : "";

function disks({ runtime: { fs }, opts }: RunnerContext): MasterIssue[] {
  const places = new Set([opts.cachedir, opts.pki_dir, dirName(textOf(opts.log_file))].map(textOf));
  const found: MasterIssue[] = [];
  const seen = new Set<number>();
  for (const path of places) {
    const left = path === "" ? undefined : spaceLeft(fs, path);
    // Directories of one file system have the same numbers.
    if (left === undefined || !left.isLittle || seen.has(left.available)) continue;
    seen.add(left.available);
    found.push({
      kind: "disk",
      level: "error",
      text: `${left.text} free in ${path}`,
      remedy:
        "Free disk space: with a full disk, the master accepts no jobs and no returns. keep_jobs_seconds limits how long jobs are kept.",
    });
  }
  return found;
}

async function refusedReturns(context: RunnerContext): Promise<MasterIssue[]> {
  const answer = await context.ask("job_counters", {});
  const refused = isRecord(answer) && isRecord(answer.refused) ? answer.refused : {};
  const counts = Object.entries(refused).filter(([, count]) => Number(count) > 0);
  if (counts.length === 0) return [];
  const total = counts.reduce((sum, [, count]) => sum + Number(count), 0);
  return [{
    kind: "returns",
    level: "warning",
    text: `${total} returns refused since the master started: ${
      counts.map(([reason, count]) => `${count} ${reason.replaceAll("_", " ")}`).join(", ")
    }`,
    remedy: "The master's log names the minions. A refused return belongs to no open job of its minion.",
  }];
}

/** The part of its limit from which on a spool is told of: a store has been away for a while. */
const FULL_PART = 0.25;
/** Files of a spool that are looked at. */
const MOST_FILES = 1000;

function spool({ runtime: { fs }, opts }: RunnerContext): MasterIssue[] {
  const limit = Number(opts.event_return_spool_bytes) || 0;
  const directory = joinPath(textOf(opts.cachedir), "event_return/spool");
  if (limit <= 0 || fs.stat(directory)?.kind !== "directory") return [];
  const bytes = fs.list(directory).slice(0, MOST_FILES)
    .reduce((sum, name) => sum + (fs.stat(joinPath(directory, name))?.size ?? 0), 0);
  if (bytes < limit * FULL_PART) return [];
  return [{
    kind: "spool",
    level: bytes >= limit * 0.9 ? "error" : "warning",
    text: `${sizeText(bytes)} of events wait for event_return, of at most ${sizeText(limit)}`,
    remedy: "Check that the store of event_return is running: events beyond the limit are lost.",
  }];
}

const DAY_MS = 24 * 3600 * 1000;
/** Days before the end of a certificate from which on it is told of. */
const SOON_DAYS = 30;

/** The certificates that the master and its HTTP interface present. */
function certificatesIn(opts: Record<string, unknown>): string[] {
  const paths = [opts.ssl, opts.rest_cherrypy, opts.rest_tornado].flatMap((section) =>
    isRecord(section) ? [section.certfile, section.ssl_crt] : []
  );
  return [...new Set(paths.map(textOf))].filter((path) => path !== "");
}

async function certificates(context: RunnerContext): Promise<MasterIssue[]> {
  const found: MasterIssue[] = [];
  for (const path of certificatesIn(context.opts)) {
    const read = await context.callFunction("x509.read_certificate", [path], {});
    const end = isRecord(read) ? textOf(read["Not After"] ?? read.not_after) : "";
    const days = Math.floor((Date.parse(`${end.replace(" ", "T")}Z`) - context.runtime.clock.now()) / DAY_MS);
    if (!(days <= SOON_DAYS)) continue;
    found.push({
      kind: "certificate",
      level: days <= 7 ? "error" : "warning",
      text: days < 0
        ? `The certificate ${path} ended on ${end}`
        : `The certificate ${path} ends in ${days} days, on ${end}`,
      remedy: "Renew it, then restart the daemon that presents it.",
    });
  }
  return found;
}

/** Where reactor files usually are. */
const REACTOR_FILES = "/srv/reactor";

function reactor({ runtime: { fs }, opts }: RunnerContext): MasterIssue[] {
  const isOn = Array.isArray(opts.reactor) && opts.reactor.length > 0;
  if (isOn || fs.stat(REACTOR_FILES)?.kind !== "directory") return [];
  const files = fs.list(REACTOR_FILES).filter((name) => name.endsWith(".sls"));
  if (files.length === 0) return [];
  return [{
    kind: "reactor",
    level: "warning",
    text: `The master has no reactor, but ${REACTOR_FILES} has SLS files: ${files.slice(0, 5).join(", ")}`,
    remedy: "Name the events and their files in the option reactor, then restart the master.",
  }];
}

const LOOKS: readonly Look[] = [disks, refusedReturns, spool, certificates, reactor];
