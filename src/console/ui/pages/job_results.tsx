import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isBad, isPartOpen, type Job, type ShownPart } from "../../job.ts";
import { href } from "../../route.ts";
import { durationText, type StateMark, type StatePart } from "../../state_run.ts";
import { countRows, flatten, hasMore, type TreeRow, treeSummary, type Unfolded } from "../../tree.ts";
import { Segments } from "../../window.ts";
import { TreeLine } from "../parts/data_view.tsx";
import { Empty } from "../parts/problem.tsx";
import { Icon } from "../parts/icon.tsx";
import { pauses } from "../parts/hooks.ts";
import { State } from "../parts/state.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";

/** The most targets of a job whose returns are all expanded at first. */
export const FEW = 10;

/** The expanded rows: all, none, or by default the important ones; and the rows that the user toggled. */
export interface Folding {
  all?: boolean;
  toggled: ReadonlySet<string>;
}

/** The lines below a minion's own line: its live output, then its return. */
export function resultLines(part: ShownPart, unfolded: Unfolded): TreeRow[] {
  const rows: TreeRow[] = [];
  const line = (text: string, at: string): TreeRow => ({
    path: `${part.id}//${at}`,
    depth: 0,
    name: "",
    text,
    kind: "line",
  });
  if (part.note !== undefined) rows.push(line(part.note, "note"));
  // The return of a command repeats its live output.
  if (isPartOpen(part.state) || part.return === undefined) {
    part.lines.forEach((text, at) => rows.push(line(text, `out${at}`)));
    if (part.tail !== "") rows.push(line(part.tail, "tail"));
  }
  if (part.return !== undefined) {
    for (const row of flatten(part.return, (path, depth, mark) => unfolded(`${part.id}/${path}`, depth, mark))) {
      rows.push({ ...row, path: `${part.id}/${row.path}` });
    }
  }
  if (rows.length === 0) rows.push(line(isPartOpen(part.state) ? "no output yet" : "no return", "none"));
  return rows;
}

/** The number of rows that {@link resultLines} makes, if no container was toggled. */
function countLines(part: ShownPart, opens: Opens): number {
  const isLive = isPartOpen(part.state) || part.return === undefined;
  const live = isLive ? part.lines.length + (part.tail === "" ? 0 : 1) : 0;
  const rows = part.return === undefined ? 0 : countRows(part.return, opens);
  return Math.max(1, (part.note === undefined ? 0 : 1) + live + rows);
}

type Opens = (depth: number, mark?: StateMark | StatePart) => boolean;

/** Expands everything; the next constant expands the first level, failed states of a state run, and the changes of a state. */
const ALL: Opens = () => true;
const FIRST: Opens = (depth, mark) => mark === undefined ? depth < 1 : mark === "failed" || mark === "changes";

/** The data that is kept for every target of a list, for one version of the target. */
interface Extent {
  version: number;
  /** True if expanding the row shows more. */
  folds: boolean;
  opens?: Opens;
  /** The number of lines below the target's own line, unless some were toggled; undefined until it is needed. */
  lines?: number;
}

/** The most targets whose rows are kept. */
const MAX_KEPT = 200;

/** The rows of a list of returns. For all targets the number of rows is computed; the rows themselves only for drawn targets. */
function useReturnRows(job: Job, parts: ShownPart[], beat: number, folding: Folding) {
  const few = job.size <= FEW;
  const drawn = useRef(new Map<string, { version: number; folding: unknown; rows: TreeRow[] }>());
  const extents = useRef(new Map<string, Extent>());
  const briefs = useRef(new Map<string, Brief>());
  const opens = folding.all === true ? ALL : FIRST;
  const toggledIds = useMemo(() => new Set([...folding.toggled].map(beginOf)), [folding]);
  const briefOf = (part: ShownPart): Brief => {
    const known = briefs.current.get(part.id);
    if (known?.version === part.version) return known;
    const brief = readBrief(part);
    keep(briefs.current, part.id, brief);
    return brief;
  };
  const extentOf = (part: ShownPart): Extent => {
    const known = extents.current.get(part.id);
    if (known?.version === part.version) return known;
    const extent = { version: part.version, folds: foldsOf(part) };
    extents.current.set(part.id, extent);
    return extent;
  };
  const opensItself = (part: ShownPart) =>
    folding.all ?? (few || (isBad(part.state) && job.bad <= FEW) || (isPartOpen(part.state) && part.lines.length > 0));
  const isUnfolded = (part: ShownPart) => extentOf(part).folds && opensItself(part) !== folding.toggled.has(part.id);
  const rowsOf = (part: ShownPart): TreeRow[] => {
    const known = drawn.current.get(part.id);
    if (known?.version === part.version && known.folding === folding) return known.rows;
    const rows = resultLines(part, (path, depth, mark) => opens(depth, mark) !== folding.toggled.has(path));
    keep(drawn.current, part.id, { version: part.version, folding, rows });
    return rows;
  };
  const isCounted = (part: ShownPart): boolean => {
    const { lines, opens: by } = extentOf(part);
    return lines !== undefined && by === opens && !toggledIds.has(beginOf(part.id));
  };
  const countOf = (part: ShownPart): number => {
    if (toggledIds.has(beginOf(part.id))) return rowsOf(part).length;
    const extent = extentOf(part);
    if (extent.lines === undefined || extent.opens !== opens) {
      extent.lines = countLines(part, opens);
      extent.opens = opens;
    }
    return extent.lines;
  };
  // Thousands of returns are counted in slices: targets that are not counted yet are shown collapsed.
  const [slice, setSlice] = useState(0);
  const late = useRef(new Set<ShownPart>());
  const segments = useMemo(() => {
    const pause = pauses();
    late.current.clear();
    return new Segments(parts.map((part) => {
      if (!isUnfolded(part)) return 1;
      if (!isCounted(part) && pause.due()) late.current.add(part);
      return late.current.has(part) ? 1 : 1 + countOf(part);
    }));
  }, [parts, beat, folding, slice]);
  useEffect(() => {
    if (late.current.size === 0) return;
    const timer = setTimeout(() => setSlice(slice + 1));
    return () => clearTimeout(timer);
  }, [segments]);
  return { segments, rowsOf, briefOf, extentOf, isUnfolded };
}

/** The path of a row begins with the id of its minion. */
const beginOf = (key: string): string => key.split("/", 1)[0]!;

/** Keeps a computed value for a target, for at most {@link MAX_KEPT} targets. */
function keep<Value>(kept: Map<string, Value>, id: string, value: Value): void {
  kept.delete(id);
  kept.set(id, value);
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
}

/** The targets of a job with their returns as a tree, in one list. */
export function JobResults(
  { job, parts, beat, folding, onToggle }: {
    job: Job;
    /** The targets to show, in order. */
    parts: ShownPart[];
    beat: number;
    folding: Folding;
    onToggle(key: string): void;
  },
) {
  const { segments, rowsOf, briefOf, extentOf, isUnfolded } = useReturnRows(job, parts, beat, folding);
  if (parts.length === 0) return <Empty icon="search" title="No minions match" />;
  const at = (index: number): { part: ShownPart; row: TreeRow | undefined } => {
    const { segment, row } = segments.locate(index);
    const part = parts[segment]!;
    return { part, row: row === 0 ? undefined : rowsOf(part)[row - 1] };
  };
  const open = (index: number) => {
    const { part, row } = at(index);
    if (row === undefined) onToggle(part.id);
    else if (row.expanded !== undefined) onToggle(row.path);
  };
  return (
    <VirtualList
      class="results"
      label="Returns"
      count={segments.count}
      row={24}
      keyOf={(index) => {
        const { part, row } = at(index);
        return row?.path ?? part.id;
      }}
      onOpen={open}
      render={({ index }) => {
        const { part, row } = at(index);
        if (row !== undefined) return <TreeLine row={row} indent={1} onToggle={() => onToggle(row.path)} />;
        return (
          <PartLine
            part={part}
            brief={briefOf(part)}
            folds={extentOf(part).folds}
            unfolded={isUnfolded(part)}
            onToggle={() => onToggle(part.id)}
          />
        );
      }}
    />
  );
}

/** The text of a minion's own line, computed once for each version of it: returns can be long. */
interface Brief {
  version: number;
  summary: string;
  /** True if the summary describes the return instead of quoting it. */
  quiet: boolean;
}

function foldsOf({ note, lines, tail, return: value }: ShownPart): boolean {
  const isLong = typeof value === "string" && value.length > 60;
  return isLong || hasMore(value) || lines.length > 0 || tail !== "" || note !== undefined;
}

function readBrief(part: ShownPart): Brief {
  const { version, state, note, lines, tail, return: value } = part;
  const summary = value === undefined
    ? (isPartOpen(state) ? tail || lines.at(-1) : undefined) ?? note ?? ""
    : treeSummary(value);
  return {
    version,
    summary: summary.slice(0, 300),
    quiet: value === "" || (typeof value === "object" && value !== null),
  };
}

function PartLine(
  { part, brief: { summary, quiet }, folds, unfolded, onToggle }: {
    part: ShownPart;
    brief: Brief;
    /** True if expanding the row shows more. */
    folds: boolean;
    unfolded: boolean;
    onToggle: () => void;
  },
) {
  const { id, state, retcode, tookMs } = part;
  // An expanded text is shown below in full.
  const isText = part.return === undefined || typeof part.return === "string";
  return (
    <div role="gridcell" class="part">
      {folds
        ? (
          <button
            type="button"
            class="fold"
            aria-expanded={unfolded}
            aria-label={`Return of ${id}`}
            tabIndex={-1}
            onClick={onToggle}
          >
            <Icon name={unfolded ? "down" : "right"} size={12} />
          </button>
        )
        : <span class="fold" />}
      <a class="mono part-id cut" href={href("minions", id)} tabIndex={-1}>{id}</a>
      <State state={state} />
      {typeof retcode === "number" && retcode !== 0 && <span class="muted small num nowrap">code {retcode}</span>}
      <span class={`${quiet ? "small muted" : "mono"} cut grow ${unfolded ? "muted" : ""}`}>
        {unfolded && isText ? "" : summary}
      </span>
      <span class="muted small num nowrap took" title="From the start of the job to the return">
        {tookMs === undefined ? "" : durationText(tookMs)}
      </span>
    </div>
  );
}
