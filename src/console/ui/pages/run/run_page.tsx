import type { TargetValue } from "../../../preview.ts";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { saltCommandLine } from "../../../command_line.ts";
import { hasDryRun, reasonToConfirm, takesSls } from "../../../danger.ts";
import { docText } from "../../../form.ts";
import type { Where } from "../../../saved.ts";
import { countWords, type Preview, previewCount } from "../../../preview.ts";
import { saltOptions } from "../../../run_options.ts";
import { targetText } from "../../../text.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy_button.tsx";
import { DataView } from "../../parts/data_view.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Segmented, Switch } from "../../parts/switch.tsx";
import { State } from "../../parts/state.tsx";
import { TargetBox, type usePreview } from "../../parts/target_box.tsx";
import { useAttempt } from "../../parts/hooks.ts";
import { useStore } from "../../store/store_context.ts";
import { ArgumentForm } from "./argument_form.tsx";
import { FunctionBox } from "./function_box.tsx";
import { FunctionMenu } from "./function_menu.tsx";
import { OptionsStep } from "./options_step.tsx";
import { runFunction } from "./run_function.ts";
import { SlsList } from "./sls_list.tsx";
import { useCommand } from "./use_command.ts";

/** Runs any function with any arguments: on minions, or a runner or wheel function on the master. */
export function RunPage() {
  const store = useStore();
  const command = useCommand(store);
  const { where, onMinions, target, preview, fun, arg, kwarg, options, problems, optionsWrong, complete, unknown } =
    command;
  const [stream, setStream] = useState(true);
  const [reason, setReason] = useState<string | undefined>(undefined);
  const [result, setResult] = useState<{ value: unknown } | undefined>(undefined);
  const { busy, error, attempt } = useAttempt();

  const choose = (name: string) => {
    command.setFun(name);
    setResult(undefined);
  };
  const start = () =>
    attempt(async () => {
      const value = await runFunction(store, { ...command, stream });
      if (value !== undefined) setResult(value);
    });
  const run = () => {
    if (!complete || busy) return;
    const danger = reasonToConfirm(fun, kwarg, onMinions ? previewCount(preview) : 1);
    const text = unknown === undefined ? danger : `${unknown.text}. It will fail there. ${danger ?? ""}`.trim();
    if (text === undefined) void start();
    else setReason(text);
  };
  const count = onMinions ? countWords(limited(preview, options.subset)) : "";
  return (
    <main class="page scroll">
      <header class="page-head">
        <h1>Run</h1>
      </header>
      <form
        class="run"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <WhereChoice
          where={where}
          onWhere={(one) => {
            command.setWhere(one);
            choose("");
          }}
        />
        {onMinions && <TargetStep target={target} preview={preview} onTarget={command.setTarget} />}
        <FunctionStep
          fun={fun}
          names={command.names}
          hint={command.hint}
          doc={docText(command.doc)}
          onFun={choose}
          menu={<FunctionMenu command={command} target={target} />}
        />
        {unknown !== undefined && <UnknownFunction unknown={unknown} onFun={choose} />}
        {fun !== "" && <ArgumentsStep command={command} />}
        {takesSls(fun) && <SlsList command={command} />}
        {onMinions && <OptionsStep options={options} problems={optionsWrong} onOptions={command.setOptions} />}
        <Problem error={error} />
        <div class="run-bar">
          {onMinions && (
            <label class="check">
              <input type="checkbox" checked={stream} onChange={(event) => setStream(event.currentTarget.checked)} />
              Live output
            </label>
          )}
          {hasDryRun(fun) && (
            <Switch on={command.isDry} label="Dry run (test=True): show what would change" onChange={command.setDry} />
          )}
          <span class="grow" />
          {fun !== "" && <FirstProblem problems={{ ...problems, ...optionsWrong }} />}
          <Button type="submit" icon="run" kind="primary" disabled={!complete || busy}>
            {busy
              ? "Starting…"
              : `${command.isDry && hasDryRun(fun) ? "Dry run" : "Run"}${onMinions ? ` on ${count}` : ""}`}
          </Button>
        </div>
      </form>
      {result !== undefined && <Result value={result.value} />}
      {reason !== undefined && (
        <ConfirmRun
          fun={fun}
          reason={reason}
          line={saltCommandLine({ where, ...target, fun, arg, kwarg, options: onMinions ? saltOptions(options) : [] })}
          target={onMinions ? { tgt: target.tgt, preview, count } : undefined}
          onConfirm={start}
          onClose={() => setReason(undefined)}
        />
      )}
    </main>
  );
}

const WHERE: { where: Where; label: string }[] = [
  { where: "minions", label: "Minions" },
  { where: "runner", label: "Runner" },
  { where: "wheel", label: "Wheel" },
];

function WhereChoice({ where, onWhere }: { where: Where; onWhere(where: Where): void }) {
  return (
    <Segmented
      legend="Where to run"
      name="where"
      options={WHERE.map(({ where: value, label }) => ({ value, label }))}
      value={where}
      onChange={onWhere}
    />
  );
}

function ArgumentsStep(
  { command: { form, filled, setFilled, problems, loading } }: { command: ReturnType<typeof useCommand> },
) {
  return (
    <section class="step">
      <h2>Arguments</h2>
      {loading
        ? <p class="hint">Loading arguments…</p>
        : <ArgumentForm form={form} filled={filled} problems={problems} onChange={setFilled} />}
    </section>
  );
}

/** The target, with a button that pings it. */
function TargetStep(
  { target, preview, onTarget }: {
    target: TargetValue;
    preview: ReturnType<typeof usePreview>;
    onTarget(target: TargetValue): void;
  },
) {
  const store = useStore();
  const [answers, setAnswers] = useState<Record<string, unknown> | undefined>(undefined);
  const { busy, error, attempt } = useAttempt();
  useEffect(() => setAnswers(undefined), [target.tgt, target.type]);
  const ping = () =>
    attempt(async () =>
      setAnswers(await store.api.local({ tgt: target.tgt, tgt_type: target.type, fun: "test.ping" }))
    );
  return (
    <section class="step">
      <h2>Target</h2>
      <TargetBox value={target} preview={preview} onChange={onTarget} />
      <div class="actions">
        <Button icon="events" disabled={busy || target.tgt === ""} onClick={ping}>
          {busy ? "Pinging…" : "Ping first"}
        </Button>
        {answers !== undefined && <PingAnswers answers={answers} />}
      </div>
      <Problem error={error} />
    </section>
  );
}

/** The most minions without an answer that are named. */
const NAMED_SILENT = 5;

function PingAnswers({ answers }: { answers: Record<string, unknown> }) {
  const ids = Object.keys(answers);
  const silent = ids.filter((id) => answers[id] !== true);
  return (
    <span role="status" class="ping">
      <State state="up" /> {(ids.length - silent.length).toLocaleString("en")} answered
      {silent.length > 0 && (
        <>
          {" "}· <State state="no answer" /> {silent.slice(0, NAMED_SILENT).join(", ")}
          {silent.length > NAMED_SILENT && ` and ${silent.length - NAMED_SILENT} more`}
        </>
      )}
    </span>
  );
}

function FunctionStep(
  { fun, names, hint, doc, onFun, menu }: {
    fun: string;
    menu: ComponentChildren;
    names: readonly string[] | undefined;
    hint: string;
    doc: string;
    onFun(fun: string): void;
  },
) {
  return (
    <section class="step">
      <h2>Function</h2>
      <div class="joined">
        <FunctionBox names={names} value={fun} onChange={onFun} />
        {menu}
      </div>
      <p class="hint">{hint}</p>
      {doc !== "" && <Documentation fun={fun} doc={doc} />}
    </section>
  );
}

/** The most lines of documentation that is open at first. */
const SHORT_DOC = 13;

function Documentation({ fun, doc }: { fun: string; doc: string }) {
  return (
    <details class="doc" open={doc.split("\n").length <= SHORT_DOC}>
      <summary>Documentation of {fun}</summary>
      <pre>{doc}</pre>
    </details>
  );
}

/** Limits a preview to the size of a subset, if the target has more minions. */
function limited(preview: Preview, subset: string): Preview {
  if (preview.kind !== "here" || subset === "" || !(Number(subset) > 0)) return preview;
  return { ...preview, matched: preview.matched.slice(0, Number(subset)) };
}

function UnknownFunction(
  { unknown: { text, near }, onFun }: { unknown: { text: string; near: string[] }; onFun(fun: string): void },
) {
  return (
    <p class="state warning warn" role="status">
      <Icon name="warn" size={14} />
      <span>
        {text}. {near.length > 0 && "Did you mean "}
        {near.map((name, at) => (
          <span key={name}>
            {at > 0 && ", "}
            <button type="button" class="link mono" onClick={() => onFun(name)}>{name}</button>
          </span>
        ))}
        {near.length > 0 && "?"}
      </span>
    </p>
  );
}

function FirstProblem({ problems }: { problems: Record<string, string> }) {
  const [first] = Object.values(problems);
  return first === undefined ? null : <span class="hint" role="status">{first}</span>;
}

function Result({ value }: { value: unknown }) {
  return (
    <section class="result">
      <div class="section-head">
        <h2>Result</h2>
        <CopyButton text={() => JSON.stringify(value, null, 2)} />
      </div>
      <DataView value={value} label="Result" />
    </section>
  );
}

/** The most minions that the confirmation names. */
const NAMED_MINIONS = 5;

function ConfirmRun(
  { fun, reason, line, target, onConfirm, onClose }: {
    fun: string;
    reason: string;
    line: string;
    /** The target; undefined for functions of the master. */
    target: { tgt: string; preview: Preview; count: string } | undefined;
    onConfirm(): void;
    onClose(): void;
  },
) {
  const count = target?.count ?? "";
  const matched = target?.preview.kind === "here" ? target.preview.matched : [];
  const more = matched.length > NAMED_MINIONS ? ", …" : "";
  return (
    <Confirm
      title={`Run ${fun}?`}
      action={target === undefined ? "Run" : `Run on ${count}`}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{reason}</p>
      <pre class="command">{line}</pre>
      {target !== undefined && (
        <p>
          Target <code>{targetText(target.tgt)}</code>: {count}
          {matched.length > 0 && ` (${matched.slice(0, NAMED_MINIONS).join(", ")}${more})`}.
        </p>
      )}
    </Confirm>
  );
}
