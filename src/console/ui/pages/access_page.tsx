import { useEffect, useState } from "preact/hooks";
import type { AuditRow, AuditSearch, SignedInUser } from "../../access.ts";
import { AUDIT_KINDS, auditArguments, readAudit, readAuditSearch, readSignedIn } from "../../access.ts";
import { ApiError } from "../../api.ts";
import { SINCE } from "../../job_filter.ts";
import { agoText, clockText } from "../../text.ts";
import { Button } from "../parts/button.tsx";
import { DataView } from "../parts/data_view.tsx";
import { Empty, Problem } from "../parts/problem.tsx";
import { useAddress, useAttempt } from "../parts/hooks.ts";
import { VirtualList } from "../parts/virtual_list.tsx";
import { useStore } from "../store/store_context.ts";

type Tab = "audit" | "signed_in";
const TABS: readonly [Tab, string][] = [["audit", "Audit log"], ["signed_in", "Signed in"]];

/** The audit log and the signed-in users, for accounts that may see them. */
export function AccessPage() {
  const { route } = useStore();
  const { query } = route.value;
  const [tab, setTab] = useState<Tab>(query.tab === "signed_in" ? "signed_in" : "audit");
  const [search, setSearch] = useState<AuditSearch>(() => readAuditSearch(query));
  useAddress(tab === "audit" ? { ...search } : { tab });
  return (
    <main class="page fill">
      <header class="page-head">
        <h1>Access</h1>
      </header>
      <div class="tabs" role="tablist" aria-label="Access">
        {TABS.map(([name, label]) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={tab === name}
            onClick={() => setTab(name)}
          >
            {label}
          </button>
        ))}
      </div>
      {tab === "audit" ? <AuditLog search={search} onSearch={setSearch} /> : <SignedInList />}
    </main>
  );
}

/** Reads a result of the master, and reads it again on request. */
function useMaster<Value>(fun: string, named: Record<string, unknown>, read: (found: unknown) => Value | undefined) {
  const { api } = useStore();
  const [value, setValue] = useState<Value | undefined>(undefined);
  const { busy, error, attempt } = useAttempt();
  const load = () =>
    attempt(async () => {
      const found = read(await api.runner(fun, named));
      if (found === undefined) {
        throw new ApiError("refused", 200, `No result of ${fun}`, "Only Brine masters have it; audit_log must be on.");
      }
      setValue(found);
    });
  useEffect(() => {
    const timer = setTimeout(load, 200);
    return () => clearTimeout(timer);
  }, [JSON.stringify(named)]);
  return { value, busy, error, load };
}

function AuditLog({ search, onSearch }: { search: AuditSearch; onSearch(search: AuditSearch): void }) {
  const { value: rows, busy, error, load } = useMaster("audit.list", auditArguments(search), readAudit);
  const [open, setOpen] = useState<AuditRow | undefined>(undefined);
  return (
    <>
      <AuditFilters search={search} onSearch={onSearch} busy={busy} onLoad={load} />
      <Problem error={error} retry={load} />
      <div class={`split ${open === undefined ? "" : "open"}`}>
        {rows === undefined
          ? error === undefined && <Empty icon="clock" title="Reading the audit log…" />
          : rows.length === 0
          ? (
            <Empty icon="search" title="No lines match">
              The master writes this log while its option <code>audit_log</code> is on.
            </Empty>
          )
          : <AuditLines rows={rows} onOpen={setOpen} />}
        {open !== undefined && (
          <section class="detail" aria-label="Selected line">
            <header class="section-head">
              <h2>Line {open.n}</h2>
              <Button icon="bad" kind="quiet" label="Close" onClick={() => setOpen(undefined)} />
            </header>
            <DataView key={open.n} value={open.whole} label="Line of the audit log" openTo={2} />
          </section>
        )}
      </div>
    </>
  );
}

function AuditFilters(
  { search, onSearch, busy, onLoad }: {
    search: AuditSearch;
    onSearch(search: AuditSearch): void;
    busy: boolean;
    onLoad(): void;
  },
) {
  const field = (name: "user" | "fun", label: string, hint: string) => (
    <input
      type="text"
      class="mono compact"
      aria-label={label}
      placeholder={hint}
      spellcheck={false}
      value={search[name]}
      onInput={(event) => onSearch({ ...search, [name]: event.currentTarget.value })}
    />
  );
  const choice = (name: "kind" | "since", label: string, options: readonly (readonly [string, string])[]) => (
    <select
      class="compact"
      aria-label={label}
      value={search[name]}
      onChange={(event) => onSearch({ ...search, [name]: event.currentTarget.value })}
    >
      <option value="">{label}: any</option>
      {options.map(([key, text]) => <option key={key} value={key}>{text}</option>)}
    </select>
  );
  return (
    <div class="search-row wraps">
      {field("user", "User", "User: svc-*")}
      {field("fun", "Function", "Fn: state.*")}
      {choice("kind", "Kind", AUDIT_KINDS.map((one) => [one, one] as const))}
      {choice("since", "Since", Object.entries(SINCE).map(([key, { label }]) => [key, label] as const))}
      <span class="grow" />
      <Button icon="again" disabled={busy} onClick={onLoad}>{busy ? "Reading…" : "Refresh"}</Button>
    </div>
  );
}

function AuditLines({ rows, onOpen }: { rows: readonly AuditRow[]; onOpen(row: AuditRow | undefined): void }) {
  const { now } = useStore();
  return (
    <VirtualList
      class="audit"
      label="Audit log, latest first"
      count={rows.length}
      keyOf={(index) => String(rows[index]!.n)}
      onOpen={(index) => onOpen(rows[index])}
      header={
        <>
          <span role="columnheader">Time</span>
          <span role="columnheader">User</span>
          <span role="columnheader">Kind</span>
          <span role="columnheader">What</span>
          <span role="columnheader" class="wide">From</span>
          <span role="columnheader" class="wide">Outcome</span>
        </>
      }
      render={({ index }) => {
        const { atMs, user, kind, what, from, outcome } = rows[index]!;
        return (
          <>
            <span role="gridcell" class="num muted cut">{atMs === undefined ? "" : clockText(atMs, now())}</span>
            <span role="gridcell" class="cut">{user}</span>
            <span role="gridcell" class="cut muted">{kind}</span>
            <span role="gridcell" class="mono cut">{what}</span>
            <span role="gridcell" class="mono cut muted wide">{from}</span>
            <span role="gridcell" class={`cut wide ${outcome === "ok" || outcome === "" ? "muted" : "bad"}`}>
              {outcome}
            </span>
          </>
        );
      }}
    />
  );
}

function SignedInList() {
  const { now } = useStore();
  const { value: rows, busy, error, load } = useMaster<SignedInUser[]>("auth.signed_in", {}, readSignedIn);
  return (
    <>
      <div class="search-row">
        <p class="hint grow">
          Logins whose token has not ended, through all salt-apis of this master. A token ends at the time shown, or
          when its user signs out.
        </p>
        <Button icon="again" disabled={busy} onClick={load}>{busy ? "Reading…" : "Refresh"}</Button>
      </div>
      <Problem error={error} retry={load} />
      {rows === undefined
        ? error === undefined && <Empty icon="clock" title="Reading the logins…" />
        : rows.length === 0
        ? <Empty icon="keys" title="Nobody is signed in" />
        : (
          <VirtualList
            class="signed-in"
            label="Signed in"
            count={rows.length}
            keyOf={(index) => String(index)}
            header={
              <>
                <span role="columnheader">User</span>
                <span role="columnheader">Authentication system</span>
                <span role="columnheader">Since</span>
                <span role="columnheader">Ends in</span>
              </>
            }
            render={({ index }) => {
              const { user, eauth, startMs, expireMs } = rows[index]!;
              return (
                <>
                  <span role="gridcell" class="cut">{user}</span>
                  <span role="gridcell" class="cut muted">{eauth}</span>
                  <span role="gridcell" class="num cut muted">{clockText(startMs, now())}</span>
                  <span role="gridcell" class="num cut muted">{agoText(expireMs - now())}</span>
                </>
              );
            }}
          />
        )}
    </>
  );
}
