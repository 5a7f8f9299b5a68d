import { useEffect, useMemo, useState } from "preact/hooks";
import { isNoise, type LoggedEvent, shownEventFilter } from "../../event_log.ts";
import { href } from "../../route.ts";
import { clockText, zoneText } from "../../text.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy_button.tsx";
import { DataView } from "../parts/data_view.tsx";
import { Empty } from "../parts/problem.tsx";
import { Icon } from "../parts/icon.tsx";
import { SearchField } from "../parts/search_field.tsx";
import { useAddress } from "../parts/hooks.ts";
import { VirtualList } from "../parts/virtual_list.tsx";
import { useStore } from "../store/store_context.ts";

const PRESETS: { label: string; filter: string }[] = [
  { label: "Jobs", filter: "salt/job/*" },
  { label: "Returns", filter: "salt/job/*/ret/*" },
  { label: "Minions", filter: "salt/minion/*" },
  { label: "Keys", filter: "salt/key" },
  { label: "Authentication", filter: "salt/auth" },
  { label: "Presence", filter: "salt/presence/*" },
  { label: "Runners", filter: "salt/run/*" },
];

/** The master's event bus, newest event first. */
export function EventsPage() {
  const store = useStore();
  const { log } = store;
  const [filter, setFilter] = useState(store.route.value.query.filter ?? "");
  const [open, setOpen] = useState<LoggedEvent | undefined>(undefined);
  const [noise, setNoise] = useState(store.route.value.query.all === "1");
  useAddress({ filter, all: noise ? "1" : "" });
  const beat = store.logBeat.value;
  useMemo(() => {
    const fits = shownEventFilter(filter);
    log.filter = noise ? fits : (event) => !isNoise(event) && fits(event);
  }, [filter, noise]);
  useEffect(() => () => {
    log.filter = () => true;
  }, []);
  const { matching } = log;

  return (
    <main class="page fill" data-beat={beat}>
      <EventsHead onClear={() => setOpen(undefined)} />
      <div class="search-row">
        <SearchField
          label="Filter events"
          placeholder="salt/job/*  -saltutil.find_job  web1"
          value={filter}
          onChange={setFilter}
          mono
        />
        <span class="muted num nowrap" role="status">
          {matching.length.toLocaleString("en")} of {log.size.toLocaleString("en")} events
        </span>
      </div>
      <FilterPresets filter={filter} onFilter={setFilter} noise={noise} onNoise={setNoise} />
      <div class={`split ${open === undefined ? "" : "open"}`}>
        {matching.length === 0
          ? <NoEvents />
          : <EventList events={matching} filter={filter} open={open} onOpen={setOpen} />}
        {open !== undefined && <EventDetail event={open} onClose={() => setOpen(undefined)} />}
      </div>
    </main>
  );
}

function EventsHead({ onClear }: { onClear(): void }) {
  const store = useStore();
  const { log } = store;
  store.logBeat.value;
  const [paused, setPaused] = useState(log.paused);
  const toggle = () => {
    if (paused) log.resume();
    else log.pause();
    setPaused(!paused);
  };
  const clear = () => {
    log.clear();
    onClear();
    store.beats.mark(store.logBeat);
  };
  return (
    <header class="page-head">
      <h1>Events</h1>
      <div class="actions">
        <Button icon={paused ? "play" : "pause"} pressed={paused} onClick={toggle}>
          {paused ? `Resume${log.waiting > 0 ? ` (${log.waiting.toLocaleString("en")} new)` : ""}` : "Pause"}
        </Button>
        <Button onClick={clear}>Clear</Button>
      </div>
    </header>
  );
}

function FilterPresets(
  { filter, onFilter, noise, onNoise }: {
    filter: string;
    onFilter(filter: string): void;
    noise: boolean;
    onNoise(noise: boolean): void;
  },
) {
  return (
    <div class="tiles small">
      {PRESETS.map((preset) => (
        <button
          key={preset.label}
          type="button"
          class="count plain"
          aria-pressed={filter === preset.filter}
          onClick={() => onFilter(filter === preset.filter ? "" : preset.filter)}
        >
          {preset.label}
        </button>
      ))}
      <button
        type="button"
        class="count plain"
        aria-pressed={noise}
        title="Events that consoles cause by reading, and bare job ids"
        onClick={() => onNoise(!noise)}
      >
        Internal
      </button>
    </div>
  );
}

function NoEvents() {
  const { log, link, logBeat } = useStore();
  logBeat.value;
  const [title, text] = log.size > 0
    ? [
      "No events match",
      "A glob matches the whole tag. Other words match a part of the tag, id, function or jid. -word excludes.",
    ]
    : link.live
    ? ["No events yet", "Events appear here live. Start a job to see some."]
    : ["No events yet", "The event stream is not connected; reconnecting."];
  return (
    <Empty icon="events" title={title!}>
      <p>{text}</p>
    </Empty>
  );
}

function EventList(
  { events, filter, open, onOpen }: {
    /** The events to show, oldest first. */
    events: readonly LoggedEvent[];
    filter: string;
    open: LoggedEvent | undefined;
    onOpen(event: LoggedEvent): void;
  },
) {
  const store = useStore();
  // Subscribes to the beat, since the array stays the same when events are added.
  store.logBeat.value;
  const count = events.length;
  const at = (index: number): LoggedEvent => events[count - 1 - index]!;
  return (
    <VirtualList
      class="events"
      label="Events, newest first"
      count={count}
      stick={filter}
      keyOf={(index) => String(at(index).number)}
      onOpen={(index) => onOpen(at(index))}
      header={
        <>
          <span role="columnheader">Time ({zoneText(store.now())})</span>
          <span role="columnheader">Tag</span>
          <span role="columnheader" class="wide">Data</span>
        </>
      }
      render={({ index }) => {
        const event = at(index);
        return (
          <>
            <span role="gridcell" class="num muted">{clockText(event.atMs, store.now())}</span>
            <span role="gridcell" class={`mono tag ${open?.number === event.number ? "chosen" : ""}`}>
              <Tag tag={event.tag} />
            </span>
            <span role="gridcell" class="mono cut muted wide">{summaryOf(event)}</span>
          </>
        );
      }}
    />
  );
}

/** A tag on one line. If there is not enough room, the jid is cut, since the words around it are more useful. */
function Tag({ tag }: { tag: string }) {
  const [, before, jid, after] = /^([^]*?)(\d{20})(\/[^]*)$/.exec(tag) ?? [];
  if (jid === undefined) return <span class="cut">{tag}</span>;
  return (
    <>
      <span class="cut">{before}</span>
      <span class="cut tag-jid">{jid}</span>
      <span class="cut">{after}</span>
    </>
  );
}

/** The most useful fields of an event, on one line. */
function summaryOf({ tag, data }: LoggedEvent): string {
  const { id } = data;
  const named = typeof id === "string" && !tag.includes(id) ? [id] : [];
  const parts = [
    ...named,
    ...["fun", "act", "outcome"].map((name) => data[name]).filter((value) => typeof value === "string"),
  ];
  const { retcode, tgt, text } = data;
  if (typeof retcode === "number" || typeof retcode === "string") parts.push(`code ${retcode}`);
  if (typeof tgt === "string") parts.push(`→ ${tgt}`);
  if (typeof text === "string") parts.push(text.trim().split("\n")[0]!);
  return parts.join(" ");
}

function EventDetail({ event: { number, tag, data }, onClose }: { event: LoggedEvent; onClose(): void }) {
  return (
    <section class="detail" aria-label="Selected event">
      <header class="section-head">
        <h2 class="mono cut" title={tag}>{tag}</h2>
        <div class="actions">
          {typeof data.jid === "string" && tag.startsWith("salt/job/") && (
            <a class="button" href={href("jobs", data.jid)}>
              <Icon name="jobs" /> <span>Job</span>
            </a>
          )}
          <CopyButton text={() => JSON.stringify({ tag, data }, null, 2)} label="Copy" />
          <Button icon="bad" kind="quiet" label="Close" onClick={onClose} />
        </div>
      </header>
      <DataView key={number} value={data} label="Event data" openTo={2} />
    </section>
  );
}
