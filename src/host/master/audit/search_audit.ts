import type { AuditFilter } from "../../../model/loader/audit.ts";
import { isRecord } from "../../../base/record.ts";
import type { FileSystem } from "../../../runtime/fs.ts";
import { PatternCache } from "../../../model/target/patterns.ts";
import type { AuditLine } from "./audit_entry.ts";
import { auditFileNumbers, auditLines } from "./audit_files.ts";
import { parsedLine } from "./verify_audit.ts";

/** The most lines that one search returns. */
const MAX_LINES = 10_000;

/** Returns the newest lines of the audit log that match a filter, oldest first. Hashes are not checked. */
export function searchAudit(fs: FileSystem, directory: string, filter: AuditFilter): Record<string, unknown>[] {
  const fits = matcherOf(filter);
  const most = Math.min(filter.limit, MAX_LINES);
  const found: Record<string, unknown>[] = [];
  for (const number of auditFileNumbers(fs, directory).reverse()) {
    let ofFile: AuditLine[] = [];
    for (const { bytes, whole } of auditLines(fs, directory, number)) {
      const line = whole ? parsedLine(bytes) : undefined;
      if (line === undefined || !fits(line)) continue;
      ofFile.push(line);
      if (ofFile.length > 2 * most) ofFile = ofFile.slice(-most);
    }
    found.unshift(...ofFile.slice(-(most - found.length)).map(({ prev: _, sig: __, ...shown }) => shown));
    if (found.length >= most) break;
  }
  return found;
}

function matcherOf(filter: AuditFilter): (line: AuditLine) => boolean {
  const patterns = new PatternCache();
  const glob = (pattern: string | undefined): (text: unknown) => boolean => {
    if (pattern === undefined) return () => true;
    const matches = patterns.glob(pattern);
    return (text) => typeof text === "string" && matches(text);
  };
  const [user, fun, minion, outcome] = [filter.user, filter.fun, filter.minion, filter.outcome].map(glob);
  return (line) =>
    (filter.kind === undefined || filter.kind.includes(line.kind)) &&
    (filter.sinceMs === undefined || Date.parse(line.time) >= filter.sinceMs) &&
    (filter.untilMs === undefined || Date.parse(line.time) <= filter.untilMs) &&
    (filter.user === undefined || user!(line.user)) &&
    (filter.fun === undefined || [line.fun].flat().some(fun!)) &&
    (filter.outcome === undefined || outcome!(line.outcome)) &&
    (filter.minion === undefined || minionsOf(line).some(minion!));
}

/** Returns the minions that a line names: targets, a key's id, the minion that asked. */
function minionsOf(line: AuditLine): unknown[] {
  const own = line.kind === "key" || line.kind === "sign-in" ? [line.id] : line.kind === "peer" ? [line.user] : [];
  return [...own, ...Array.isArray(line.minions) ? line.minions : isRecord(line.minions) ? [] : []];
}
