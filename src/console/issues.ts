import { isRecord } from "../base/record.ts";
import type { Engine } from "./automation.ts";
import type { FleetCounts } from "./fleet.ts";
import { href } from "./route.ts";
import { countText } from "./text.ts";

/** A problem that needs an operator, with its remedy. */
export interface Issue {
  /** The key of the issue, which stays the same while the issue lasts. */
  key: string;
  level: "error" | "warning";
  title: string;
  detail: string;
  remedy: string;
  /** The page where the operator can look or act; undefined if there is none. */
  link?: { href: string; label: string };
}

/** The data for issues; each value is undefined if it could not be read. */
export interface IssueSources {
  counts: FleetCounts | undefined;
  down: readonly string[];
  denied: readonly string[];
  /** The number of state runs with a failed target during the last day. */
  failedStates: number | undefined;
  /** The result of runner `manage.issues` of a Brine master. */
  master: readonly MasterIssue[] | undefined;
  engines: readonly Engine[] | undefined;
}

export interface MasterIssue {
  kind: string;
  level: "error" | "warning";
  text: string;
  remedy: string;
}

/** Issues that are shown, and characters of each: minions send any number, of any size. */
const MAX_ISSUES = 200;
const MAX_CHARACTERS = 500;

/** Reads the result of runner `manage.issues`; undefined for any other value. */
export function readMasterIssues(found: unknown): MasterIssue[] | undefined {
  if (!Array.isArray(found)) return undefined;
  const text = (value: unknown) => typeof value === "string" ? value.slice(0, MAX_CHARACTERS) : "";
  return found.slice(0, MAX_ISSUES).filter(isRecord).map(({ kind, level, text: words, remedy }) => ({
    kind: text(kind),
    level: level === "error" ? "error" : "warning",
    text: text(words),
    remedy: text(remedy),
  }));
}

const NAMED = 5;

function names(ids: readonly string[]): string {
  const more = ids.length > NAMED ? ` and ${(ids.length - NAMED).toLocaleString("en")} more` : "";
  return `${ids.slice(0, NAMED).join(", ")}${more}`;
}

const TITLES: Readonly<Record<string, string>> = {
  disk: "Little disk space on the master",
  returns: "Returns refused",
  spool: "Events are not stored",
  certificate: "A certificate ends",
  reactor: "Reactor files without a reactor",
};

export function issuesOf({ counts, down, denied, failedStates, master, engines }: IssueSources): Issue[] {
  const issues: Issue[] = [];
  if (denied.length > 0) {
    issues.push({
      key: "denied",
      level: "error",
      title: `${countText(denied.length, "denied key")}`,
      detail: `Another host uses the id of an accepted minion: ${names(denied)}`,
      remedy: "Find that host: give it another id, or accept its key if the accepted host was reinstalled.",
      link: { href: href("keys", "", { state: "minions_denied" }), label: "Denied keys" },
    });
  }
  if (down.length > 0) {
    issues.push({
      key: "down",
      level: "error",
      title: `${countText(down.length, "minion")} down`,
      detail: names(down),
      remedy: "On the host, run salt-doctor. If the host is gone for good, delete its key.",
      link: { href: href("fleet", "", { state: "down" }), label: "Minions that are down" },
    });
  }
  if ((failedStates ?? 0) > 0) {
    issues.push({
      key: "states",
      level: "error",
      title: `${countText(failedStates!, "run")} of states failed`,
      detail: "In the last 24 hours, on at least one minion.",
      remedy: "Open the job: failed states come first. Fix the cause, then run it again on the failed minions.",
      link: {
        href: href("jobs", "", { fun: "state.", outcome: "failed", since: "24h" }),
        label: "Failed runs of states",
      },
    });
  }
  for (const [at, { kind, level, text, remedy }] of (master ?? []).entries()) {
    const title = Object.hasOwn(TITLES, kind) ? TITLES[kind]! : "The master needs attention";
    issues.push({ key: `master ${at}`, level, title, detail: text, remedy });
  }
  for (const { name, state, reason, lastError } of engines ?? []) {
    if (state === "running" || state === "starting") continue;
    issues.push({
      key: `engine ${name}`,
      level: "warning",
      title: `Engine ${name}: ${state}`,
      detail: lastError || reason,
      remedy: "Its last error is under Automation. salt-master --check names options that are wrong.",
      link: { href: href("automation", "", { tab: "engines" }), label: "Engines" },
    });
  }
  if ((counts?.pending ?? 0) > 0) {
    issues.push({
      key: "pending",
      level: "warning",
      title: `${countText(counts!.pending, "key")} ${counts!.pending === 1 ? "waits" : "wait"} to be accepted`,
      detail: "The master sends these minions nothing yet.",
      remedy: "Compare the fingerprint with salt-call --local key.finger on the host, then accept or reject the key.",
      link: { href: href("keys", "", { state: "minions_pre" }), label: "Unaccepted keys" },
    });
  }
  return issues.sort((left, right) => Number(left.level === "warning") - Number(right.level === "warning"));
}
