import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  argumentsOfRecord,
  argumentText,
  isBad,
  isOpen,
  type Job,
  type Part,
  PART_STATES,
  type PartState,
} from "../../job.ts";
import { href } from "../../route.ts";
import { agoText, clockText, countText, targetText } from "../../text.ts";
import { flatten, hasMore, summaryOf, type TreeRow, type Unfolded } from "../../tree.ts";
import { Segments } from "../../window.ts";
import { TreeLine } from "../parts/data_view.tsx";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy_button.tsx";
import { Confirm } from "../parts/dialog.tsx";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icon.tsx";
import { Bar, Count, State } from "../parts/state.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import { useStore } from "../store/store_context.ts";

/** Up to so many targets show all of what they returned at once. */
const FEW = 10;

/** One job, while it runs and afterwards: failures first, each return unfolds. */
export function JobPage({ jid }: { jid: string }) {
  const store = useStore();
  const job = store.jobs.get(jid);
  const beat = store.jobs.beat.value;
  const [only, setOnly] = useState<PartState | undefined>(undefined);
  const [filter, setFilter] = useState("");
  const [folding, setFolding] = useState<{ all?: boolean; toggled: ReadonlySet<string> }>({ toggled: new Set() });
  const [cancelling, setCancelling] = useState(false);

  const counts = PART_STATES.map((state): [PartState, number] => [state, job.count(state)]);
  const parts = useMemo(() => {
    const shown = job.parts(only === undefined ? undefined : new Set([only]));
    const wanted = filter.trim().toLowerCase();
    return wanted === "" ? shown : shown.filter(({ id }) => id.toLowerCase().includes(wanted));
  }, [job, beat, only, filter]);

  const { head } = job;
  const done = job.done;
  const again = argumentsOfRecord(head.arg);
  const rerun = href("run", "", {
    tgt: targetText2(head.tgt),
    tgt_type: head.tgtType,
    fun: head.fun,
    arg: JSON.stringify(again.arg),
    kwarg: Object.keys(again.kwarg).length > 0 ? JSON.stringify(again.kwarg) : "",
  });
  const failed = job.parts().filter(({ state }) => isBad(state)).map(({ id }) => id);
  return (
    <main class="page fill">
      <header class="page-head">
        <div class="grow">
          <p class="crumb">
            <a href={href("jobs")}>Jobs</a>
          </p>
          <h1 class="mono cut" title={`${head.fun} ${argumentText(head.arg)}`}>
            {head.fun || "…"} <span class="muted light">{argumentText(head.arg)}</span>
          </h1>
        </div>
        <div class="actions">
          {!done && job.size > 0 && (
            <Button icon="stop" kind="danger" onClick={() => setCancelling(true)}>Cancel</Button>
          )}
          <CopyButton text={() => JSON.stringify(job, null, 2)} />
          {failed.length > 0 && done && failed.length < job.size && (
            <a
              class="button"
              href={href("run", "", {
                tgt: failed.join(","),
                tgt_type: "list",
                fun: head.fun,
                arg: JSON.stringify(again.arg),
                kwarg: Object.keys(again.kwarg).length > 0 ? JSON.stringify(again.kwarg) : "",
              })}
            >
              <Icon name="again" /> <span>Run again on {failed.length} that failed</span>
            </a>
          )}
          <a class="button" href={rerun}>
            <Icon name="again" /> <span>Run again</span>
          </a>
        </div>
      </header>
      <dl class="facts">
        <div>
          <dt>Target</dt>
          <dd class="mono cut">
            {targetText(head.tgt)} <span class="muted">{head.tgtType}</span>
          </dd>
        </div>
        {head.user !== undefined && (
          <div>
            <dt>User</dt>
            <dd>{head.user}</dd>
          </div>
        )}
        {head.startedMs !== undefined && (
          <div>
            <dt>Started</dt>
            <dd class="num">
              {clockText(head.startedMs, store.now())}{" "}
              <span class="muted">
                <Ago since={head.startedMs} live={!done} />
              </span>
            </dd>
          </div>
        )}
        <div>
          <dt>Jid</dt>
          <dd class="mono num">{jid}</dd>
        </div>
      </dl>
      {job.size > 0 && (
        <>
          <Bar counts={counts} total={job.size} />
          <div class="tiles small" role="status">
            <span class="count plain">
              {done ? <Icon name="ok" size={14} /> : <Icon name="clock" size={14} />}
              {done
                ? `Ended on ${countText(job.size, "minion")}`
                : `${countText(job.open, "minion")} to go of ${job.size.toLocaleString("en")}`}
            </span>
            {counts.filter(([, count]) => count > 0).map(([state, count]) => (
              <Count
                key={state}
                state={state}
                count={count}
                pressed={only === state}
                onClick={() => setOnly(only === state ? undefined : state)}
              />
            ))}
            <span class="grow" />
            {job.size > FEW && (
              <label class="search compact">
                <Icon name="search" />
                <input
                  type="search"
                  data-search
                  aria-label="Search in minions of this job"
                  placeholder="Minion"
                  value={filter}
                  onInput={(event) => setFilter(event.currentTarget.value)}
                />
              </label>
            )}
            <Button kind="quiet" onClick={() => setFolding({ all: true, toggled: new Set() })}>Unfold all</Button>
            <Button kind="quiet" onClick={() => setFolding({ all: false, toggled: new Set() })}>Fold all</Button>
          </div>
        </>
      )}
      {job.size === 0
        ? job.error !== undefined
          ? (
            <Empty icon="question" title="Nothing is on record of this job">
              <p>{job.error}</p>
              <p>
                The master keeps jobs for a while only; look through <a href={href("jobs")}>those that it has</a>.
              </p>
            </Empty>
          )
          : done
          ? (
            <Empty icon="jobs" title="It was for nobody">
              <p>No minion is on record as a target of this job.</p>
            </Empty>
          )
          : <Empty icon="clock" title="Reading the job…" />
        : (
          <Results
            job={job}
            parts={parts}
            beat={beat}
            folding={folding}
            onToggle={(key) => {
              const toggled = new Set(folding.toggled);
              if (!toggled.delete(key)) toggled.add(key);
              setFolding({ ...folding, toggled });
            }}
          />
        )}
      {cancelling && (
        <Confirm
          title="Cancel this job?"
          action="End it"
          onConfirm={() => store.jobs.cancel(job).catch((error) => store.notices.fail(error))}
          onClose={() => setCancelling(false)}
        >
          <p>
            {countText(job.open, "minion")}{" "}
            still at it will end its process at once (<code>saltutil.kill_job</code>). What is done already stays done.
          </p>
        </Confirm>
      )}
    </main>
  );
}

const targetText2 = (tgt: unknown): string => Array.isArray(tgt) ? tgt.join(",") : String(tgt);

/** How long ago, kept up while the job runs. */
function Ago({ since, live }: { since: number; live: boolean }) {
  const store = useStore();
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), live ? 1000 : 15_000);
    return () => clearInterval(timer);
  }, [live]);
  const text = agoText(store.now() - since);
  return <>{text === "now" ? "just now" : live ? `for ${text}` : `${text} ago`}</>;
}

/** The lines below a minion's own: what it printed, then what it returned. */
function linesOf(part: Part, unfolded: Unfolded): TreeRow[] {
  const rows: TreeRow[] = [];
  const line = (text: string, at: string): TreeRow => ({
    path: `${part.id}//${at}`,
    depth: 0,
    name: "",
    text,
    kind: "line",
  });
  if (part.note !== undefined) rows.push(line(part.note, "note"));
  // The return of a command is what was printed; both would be the same twice.
  if (isOpen(part.state) || part.return === undefined) {
    part.lines.forEach((text, at) => rows.push(line(text, `out${at}`)));
    if (part.tail !== "") rows.push(line(part.tail, "tail"));
  }
  if (part.return !== undefined) {
    for (const row of flatten(part.return, (path, depth, mark) => unfolded(`${part.id}/${path}`, depth, mark))) {
      rows.push({ ...row, path: `${part.id}/${row.path}` });
    }
  }
  if (rows.length === 0) rows.push(line(isOpen(part.state) ? "nothing yet" : "nothing returned", "none"));
  return rows;
}

function Results(
  { job, parts, beat, folding, onToggle }: {
    job: Job;
    parts: Part[];
    beat: number;
    folding: { all?: boolean; toggled: ReadonlySet<string> };
    onToggle(key: string): void;
  },
) {
  const few = job.size <= FEW;
  const cache = useRef(new Map<string, { version: number; folding: unknown; rows: TreeRow[] }>());
  const briefs = useRef(new Map<string, Brief>());
  const briefOf = (part: Part): Brief => {
    const known = briefs.current.get(part.id);
    if (known?.version === part.version) return known;
    const brief = readBrief(part);
    briefs.current.set(part.id, brief);
    return brief;
  };
  const opensItself = (part: Part) =>
    folding.all ?? (few || (isBad(part.state) && job.bad <= FEW) || (isOpen(part.state) && part.lines.length > 0));
  const isUnfolded = (part: Part) => briefOf(part).folds && opensItself(part) !== folding.toggled.has(part.id);
  const rowsOf = (part: Part): TreeRow[] => {
    const known = cache.current.get(part.id);
    if (known !== undefined && known.version === part.version && known.folding === folding) return known.rows;
    const rows = linesOf(part, (path, depth, mark) => {
      // Of a run of states those that failed are what people look for.
      const opens = folding.all === true || (mark === undefined ? depth < 1 : mark === "failed");
      return opens !== folding.toggled.has(path);
    });
    cache.current.set(part.id, { version: part.version, folding, rows });
    return rows;
  };
  const segments = useMemo(
    () => new Segments(parts.map((part) => isUnfolded(part) ? 1 + rowsOf(part).length : 1)),
    [parts, beat, folding],
  );
  if (parts.length === 0) return <Empty icon="search" title="No minion of this job fits" />;
  const at = (index: number): { part: Part; row: TreeRow | undefined } => {
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
            unfolded={isUnfolded(part)}
            onToggle={() => onToggle(part.id)}
          />
        );
      }}
    />
  );
}

/** What stands on a minion's own line, worked out once for each state of it: returns can be long. */
interface Brief {
  version: number;
  summary: string;
  /** It is in our words, not in the minion's. */
  quiet: boolean;
  /** There is more than the summary says. */
  folds: boolean;
}

function readBrief(part: Part): Brief {
  const { version, state, note, lines, tail, return: value } = part;
  const summary = value === undefined
    ? (isOpen(state) ? tail || lines.at(-1) : undefined) ?? note ?? ""
    : summaryOf(value);
  const isLong = typeof value === "string" && value.length > 60;
  return {
    version,
    summary: summary.slice(0, 300),
    quiet: value === "" || (typeof value === "object" && value !== null),
    folds: hasMore(value) || lines.length > 0 || tail !== "" || note !== undefined || isLong,
  };
}

function PartLine(
  { part, brief: { summary, quiet, folds }, unfolded, onToggle }: {
    part: Part;
    brief: Brief;
    unfolded: boolean;
    onToggle: () => void;
  },
) {
  const { id, state, retcode } = part;
  // Unfolded, a text stands below in full.
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
    </div>
  );
}
