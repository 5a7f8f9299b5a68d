import { useEffect, useMemo, useState } from "preact/hooks";
import { eventFilter, type LoggedEvent } from "../../event_log.ts";
import { href } from "../../route.ts";
import { clockText } from "../../text.ts";
import { DataView } from "../parts/data_view.tsx";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy_button.tsx";
import { Empty } from "../parts/empty.tsx";
import { Icon } from "../parts/icon.tsx";
import { SearchField } from "../parts/search_field.tsx";
import { VirtualList } from "../parts/virtual_list.tsx";
import { useStore } from "../store/store_context.ts";

const PRESETS: { label: string; filter: string }[] = [
  { label: "Jobs", filter: "salt/job/*" },
  { label: "Returns", filter: "salt/job/*/ret/*" },
  { label: "Minions", filter: "salt/minion/*" },
  { label: "Keys", filter: "salt/key" },
  { label: "Sign-ins", filter: "salt/auth" },
  { label: "Presence", filter: "salt/presence/*" },
  { label: "Master", filter: "salt/run/*" },
];

/** What of an event says most in a line. */
function gistOf({ data }: LoggedEvent): string {
  const parts = ["fun", "act", "outcome", "retcode"].filter((name) =>
    typeof data[name] === "string" || (name === "retcode" && typeof data[name] === "number")
  ).map((name) => name === "retcode" ? `code ${data[name]}` : String(data[name]));
  if (typeof data.tgt === "string") parts.push(`→ ${data.tgt}`);
  if (typeof data.text === "string") parts.push(data.text.trim().split("\n")[0]!);
  return parts.join(" ");
}

/** The master's event bus as it goes by, newest first. */
export function EventsPage() {
  const store = useStore();
  const { log } = store;
  const [filter, setFilter] = useState(store.route.value.query.filter ?? "");
  const [paused, setPaused] = useState(log.paused);
  const [open, setOpen] = useState<LoggedEvent | undefined>(undefined);
  const beat = store.logBeat.value;
  useMemo(() => log.filter = eventFilter(filter), [filter]);
  useEffect(() => () => {
    log.filter = () => true;
  }, []);
  const { matching } = log;
  const count = matching.length;
  const at = (index: number): LoggedEvent => matching[count - 1 - index]!;
  const toggle = () => {
    if (paused) log.resume();
    else log.pause();
    setPaused(!paused);
  };
  const jid = typeof open?.data.jid === "string" ? open.data.jid : undefined;

  return (
    <main class="page fill" data-beat={beat}>
      <header class="page-head">
        <h1>Events</h1>
        <div class="actions">
          <Button icon={paused ? "play" : "pause"} pressed={paused} onClick={toggle}>
            {paused ? `Go on${log.waiting > 0 ? ` (${log.waiting.toLocaleString("en")} new)` : ""}` : "Pause"}
          </Button>
          <Button
            onClick={() => {
              log.clear();
              setOpen(undefined);
              store.beats.mark(store.logBeat);
            }}
          >
            Clear
          </Button>
        </div>
      </header>
      <div class="search-row">
        <SearchField
          label="Filter of events"
          placeholder="salt/job/*  -saltutil.find_job  web1"
          value={filter}
          onChange={setFilter}
          mono
        />
        <span class="muted num nowrap" role="status">
          {count.toLocaleString("en")} of {log.size.toLocaleString("en")} kept
        </span>
      </div>
      <div class="tiles small">
        {PRESETS.map((preset) => (
          <button
            key={preset.label}
            type="button"
            class="count plain"
            aria-pressed={filter === preset.filter}
            onClick={() => setFilter(filter === preset.filter ? "" : preset.filter)}
          >
            {preset.label}
          </button>
        ))}
      </div>
      <div class={`split ${open === undefined ? "" : "open"}`}>
        {count === 0
          ? (
            <Empty icon="events" title={log.size === 0 ? "No event yet" : "No event fits the filter"}>
              <p>
                {log.size === 0
                  ? store.link.state.value === "live"
                    ? "They appear as they happen: start a job, and its events go by here."
                    : "The stream is not connected; it is being tried."
                  : "Globs fit the whole tag; other words a part of the tag, the id, the function or the jid; -word excludes."}
              </p>
            </Empty>
          )
          : (
            <VirtualList
              class="events"
              label="Events, newest first"
              count={count}
              stick={filter}
              keyOf={(index) => String(at(index).number)}
              onOpen={(index) => setOpen(at(index))}
              render={({ index }) => {
                const event = at(index);
                return (
                  <>
                    <span role="gridcell" class="num muted">{clockText(event.atMs, store.now())}</span>
                    <span role="gridcell" class={`mono cut ${open?.number === event.number ? "chosen" : ""}`}>
                      {event.tag}
                    </span>
                    <span role="gridcell" class="mono cut muted wide">{gistOf(event)}</span>
                  </>
                );
              }}
            />
          )}
        {open !== undefined && (
          <section class="detail" aria-label="The chosen event">
            <header class="section-head">
              <h2 class="mono cut" title={open.tag}>{open.tag}</h2>
              <div class="actions">
                {jid !== undefined && open.tag.startsWith("salt/job/") && (
                  <a class="button" href={href("jobs", jid)}>
                    <Icon name="jobs" /> <span>Job</span>
                  </a>
                )}
                <CopyButton text={() => JSON.stringify({ tag: open.tag, data: open.data }, null, 2)} label="Copy" />
                <Button icon="bad" kind="quiet" label="Close" onClick={() => setOpen(undefined)} />
              </div>
            </header>
            <DataView key={open.number} value={open.data} label="Data of the event" openTo={2} />
          </section>
        )}
      </div>
    </main>
  );
}
