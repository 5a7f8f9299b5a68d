import { useEffect } from "preact/hooks";
import type { Issue } from "../../issues.ts";
import { Button } from "../parts/button.tsx";
import { Empty, Problem } from "../parts/problem.tsx";
import { Icon } from "../parts/icon.tsx";
import { useAttempt } from "../parts/hooks.ts";
import { useStore } from "../store/store_context.ts";

/** The issues that need an operator, each with its remedy and a link. */
export function IssuesPage() {
  const { issues, fleet } = useStore();
  const { busy, error, attempt } = useAttempt();
  const load = () => attempt(() => Promise.all([issues.load(), fleet.load()]));
  useEffect(() => void load(), []);
  const list = issues.list.value;
  return (
    <main class="page scroll">
      <header class="page-head">
        <h1>Issues</h1>
        <Button icon="again" disabled={busy} onClick={load}>{busy ? "Looking…" : "Refresh"}</Button>
      </header>
      <Problem error={error} retry={load} />
      {list === undefined
        ? error === undefined && <Empty icon="clock" title="Looking for issues…" />
        : list.length === 0
        ? <Empty icon="ok" title={issues.gaps.value.length > 0 ? "No issues in what was looked at" : "No issues"} />
        : <ul class="issues" aria-label="Issues">{list.map((issue) => <IssueItem key={issue.key} issue={issue} />)}
        </ul>}
      {issues.gaps.value.length > 0 && (
        <section>
          <h2>Not looked at</h2>
          <ul class="hint">{issues.gaps.value.map((gap) => <li key={gap}>{gap}</li>)}</ul>
        </section>
      )}
      <p class="hint">
        For the master&#39;s configuration, run <code>salt-doctor</code> on its host.
      </p>
    </main>
  );
}

function IssueItem({ issue: { level, title, detail, remedy, link } }: { issue: Issue }) {
  const tone = level === "error" ? "bad" : "warn";
  return (
    <li class={`issue ${tone}`}>
      <span class={`state ${tone}`}>
        <Icon name={level === "error" ? "bad" : "warn"} />
        <span class="visually-hidden">{level}</span>
      </span>
      <div class="grow">
        <p>
          <b>{title}</b>
        </p>
        <p class="issue-detail">{detail}</p>
        <p class="muted">{remedy}</p>
      </div>
      {link !== undefined && <a class="button" href={link.href}>{link.label}</a>}
    </li>
  );
}
