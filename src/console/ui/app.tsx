import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { href } from "../route.ts";
import { clockText } from "../text.ts";
import { AutomationPage } from "./pages/automation/automation_page.tsx";
import { AccessPage } from "./pages/access_page.tsx";
import { BatchPage } from "./pages/batch_page.tsx";
import { EventsPage } from "./pages/events_page.tsx";
import { FleetPage } from "./pages/fleet_page.tsx";
import { IssuesPage } from "./pages/issues_page.tsx";
import { JobPage } from "./pages/job_page.tsx";
import { JobsPage } from "./pages/jobs_page.tsx";
import { KeysPage } from "./pages/keys_page.tsx";
import { MinionPage } from "./pages/minion/minion_page.tsx";
import { Help, JUMPS, jumpsFor, Palette } from "./palette.tsx";
import { Button } from "./parts/button.tsx";
import { Icon } from "./parts/icon.tsx";
import { RunPage } from "./pages/run/run_page.tsx";
import { Brand, SignInPage } from "./pages/sign_in.tsx";
import type { Store, Theme } from "./store/store.ts";
import { useStore } from "./store/store_context.ts";

export function App() {
  const store = useStore();
  const session = store.session.current.value;
  const [over, setOver] = useState<"palette" | "help" | undefined>(undefined);
  useRoute(store);
  useTitle(store);
  useLeaveWarning(store);
  useKeys(store, session !== undefined && session !== "unknown" && !store.session.expired.value, setOver);
  useEffect(() => {
    document.documentElement.dataset.theme = store.theme.value;
  }, [store.theme.value]);

  if (session === "unknown") return <div class="sign-in" role="status" aria-label="Restoring the session" />;
  if (session === undefined) return <SignInPage expired={false} />;
  const expired = store.session.expired.value;
  return (
    <>
      <div class="shell" inert={expired}>
        <Side user={session.user} />
        <div class="main">
          <Away />
          <Page />
        </div>
        <Notices />
        {over === "palette" && !expired && <Palette onClose={() => setOver(undefined)} />}
        {over === "help" && !expired && <Help onClose={() => setOver(undefined)} />}
      </div>
      {expired && <SignInPage expired />}
    </>
  );
}

function useRoute(store: Store): void {
  useEffect(() => {
    const change = () => {
      store.open(location.hash);
      // Keyboard focus moves into the new page.
      requestAnimationFrame(() => {
        const main = document.querySelector("main");
        if (main === null || main.contains(document.activeElement)) return;
        main.tabIndex = -1;
        main.focus({ preventScroll: true });
      });
    };
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
}

/** Makes the browser ask before the page is closed while a batch runs, since the batch would end. */
function useLeaveWarning(store: Store): void {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (store.batches.isRunning) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, []);
}

const TITLES: Record<string, string> = { job: "Job", batch: "Batch", minion: "Minion" };

function useTitle(store: Store): void {
  const { page, name } = store.route.value;
  // A layout effect, so that the title changes together with the page.
  useLayoutEffect(() => {
    const label = JUMPS.find((one) => one.page === page)?.label ?? TITLES[page] ?? "";
    document.title = `${name === "" ? "" : `${name} · `}${label} · Brine`;
  }, [page, name]);
}

function useKeys(store: Store, on: boolean, setOver: (over: "palette" | "help" | undefined) => void): void {
  // True if the last key was `g`, the first key of a jump; there is no time limit for the second.
  const jump = useRef(false);
  useEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      const second = jump.current;
      jump.current = false;
      if ((event.ctrlKey || event.metaKey) && event.key === "k") {
        event.preventDefault();
        setOver("palette");
        return;
      }
      if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
        document.querySelector<HTMLFormElement>("form.run")?.requestSubmit();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
      if (target.closest("input, textarea, select") !== null) {
        if (event.key === "Escape") target.blur();
        return;
      }
      const jumped = second && jumpsFor(store).find(({ key }) => key === event.key);
      if (jumped) location.hash = store.addressOf(jumped.page);
      else if (event.key === "g") jump.current = true;
      else if (event.key === "/") document.querySelector<HTMLElement>("[data-search]")?.focus();
      else if (event.key === "?") setOver("help");
      else return;
      event.preventDefault();
    };
    const point = () => jump.current = false;
    addEventListener("keydown", press);
    addEventListener("pointerdown", point);
    return () => {
      removeEventListener("keydown", press);
      removeEventListener("pointerdown", point);
    };
  }, [on, store]);
}

function Page() {
  const { route, visit } = useStore();
  const { page, name } = route.value;
  // The key changes with each visit, so that an opened page starts with the state in its address.
  const key = `${page} ${visit.value}`;
  switch (page) {
    case "run":
      return <RunPage key={key} />;
    case "jobs":
      return <JobsPage key={key} />;
    case "job":
      return <JobPage key={name} jid={name} />;
    case "keys":
      return <KeysPage key={key} />;
    case "events":
      return <EventsPage key={key} />;
    case "automation":
      return <AutomationPage />;
    case "batch":
      return <BatchPage key={name} name={name} />;
    case "issues":
      return <IssuesPage key={key} />;
    case "access":
      return <AccessPage key={key} />;
    case "minion":
      return <MinionPage key={name} id={name} />;
    case "fleet":
      return <FleetPage key={key} />;
  }
}

const SECTION: Record<string, string> = { job: "jobs", batch: "jobs", minion: "fleet" };
const THEMES: { theme: Theme; icon: string; label: string }[] = [
  { theme: "system", icon: "auto", label: "System" },
  { theme: "light", icon: "sun", label: "Light" },
  { theme: "dark", icon: "moon", label: "Dark" },
];

function Side({ user }: { user: string }) {
  const store = useStore();
  const { page } = store.route.value;
  const { pending, denied } = store.fleet.waiting.value;
  const running = store.jobs.running.value.size;
  const theme = THEMES.findIndex((one) => one.theme === store.theme.value);
  const next = THEMES[(theme + 1) % THEMES.length]!;
  const issues = store.issues.list.value?.length ?? 0;
  const badges: Record<string, number> = { keys: pending + denied, jobs: running, issues };
  const labels: Record<string, string> = {
    keys: keysLabel(pending, denied),
    jobs: `${running} running`,
    issues: `${issues} open`,
  };
  return (
    <header class="side">
      <a class="home" href={href("fleet")} aria-label="Brine: fleet">
        <Brand />
      </a>
      <nav aria-label="Pages">
        {jumpsFor(store).map(({ page: to, label, icon, key }) => (
          <a
            key={to}
            href={store.addressOf(to)}
            title={`${label} (g ${key})`}
            aria-current={to === (SECTION[page] ?? page) ? "page" : undefined}
          >
            <Icon name={icon} size={18} />
            <span>{label}</span>
            {(badges[to] ?? 0) > 0 && (
              <b class={`badge ${to}`} aria-label={labels[to]}>
                {badges[to]!.toLocaleString("en")}
              </b>
            )}
          </a>
        ))}
      </nav>
      <div class="side-foot">
        <Link />
        <span class="user cut" title={`Signed in as ${user}`}>{user}</span>
        <div class="side-buttons">
          <Button
            kind="quiet"
            icon={THEMES[theme]?.icon ?? "auto"}
            label={`Theme: ${THEMES[theme]?.label.toLowerCase()}; switch to ${next.label.toLowerCase()}`}
            onClick={() => store.setTheme(next.theme)}
          />
          <Button kind="quiet" icon="out" label="Sign out" onClick={() => store.session.signOut()} />
        </div>
      </div>
    </header>
  );
}

const keysLabel = (pending: number, denied: number): string =>
  [...(pending > 0 ? [`${pending} unaccepted`] : []), ...(denied > 0 ? [`${denied} denied`] : [])].join(", ");

/** Shows on every page that its data is outdated, and since when. */
function Away() {
  const { link, now } = useStore();
  const sinceMs = link.awaySinceMs.value;
  if (sinceMs === undefined) return null;
  const who = link.live ? "The master" : "The server";
  return (
    <p class="away state warning bad" role="status">
      <Icon name="warn" size={14} />
      <span>{who} cannot be reached since {clockText(sinceMs, now())}: this page shows the state at that time.</span>
    </p>
  );
}

/** Shows whether the page is up to date: the state of the event stream and of the master. */
function Link() {
  const { link: { state: { value }, master } } = useStore();
  const [icon, tone, text] = value === "live" && !master.value
    ? ["warn", "bad", "Master unreachable"]
    : value === "live"
    ? ["ok", "ok", "Live"]
    : value === "lost"
    ? ["warn", "bad", "Disconnected, reconnecting"]
    : ["clock", "idle", "Connecting…"];
  return (
    <span class={`link-state state ${tone}`} role="status" title="Event stream from the master">
      <Icon name={icon!} size={14} /> <span>{text}</span>
    </span>
  );
}

function Notices() {
  const store = useStore();
  return (
    <div class="notices" role="status" aria-live="polite">
      {store.notices.list.value.map(({ key, kind, text, remedy }) => (
        <div key={key} class={`notice ${kind}`}>
          <span class={`state ${kind}`}>
            <Icon name={kind === "ok" ? "ok" : "warn"} />
          </span>
          <div class="grow">
            <p>{text}</p>
            {remedy !== "" && <p class="muted">{remedy}</p>}
          </div>
          <Button kind="quiet" icon="bad" label="Dismiss" onClick={() => store.notices.dismiss(key)} />
        </div>
      ))}
    </div>
  );
}
