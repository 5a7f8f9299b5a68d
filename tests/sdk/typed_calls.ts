/**
 * Calls that compile, and calls that must not: `npm run check` holds both, since an `@ts-expect-error` over a line without an
 * error is an error itself. Nothing here is run.
 */
import type {
  FunctionArguments,
  FunctionName,
  FunctionReturn,
  FunctionType,
  JobRequest,
  PublishRequest,
  RunnerArguments,
  RunnerReturn,
  Salt,
  WheelArguments,
  WheelReturn,
} from "../../mod.ts";

declare module "../../mod.ts" {
  interface ExecutionFunctions {
    "backup.start": FunctionType<"name, keep: int=3", { id: string }>;
    "backup.list": { args: { [name: string]: string }; returns: string[] };
  }
  interface RunnerFunctions {
    "fleet.report": { args: { since?: string }; returns: { minions: number } };
    "fleet.move": FunctionType<"dst, *, test=False, notes: str | list=None, **kwargs", null>;
  }
}

/** True for types that are the same, not just assignable to each other. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_T extends true>(): void => {};

// Returns
holds<Same<FunctionReturn<"cmd.run">, string>>();
holds<Same<FunctionReturn<"cmd.run_all">["stdout"], string>>();
holds<Same<FunctionReturn<"cmd.shells">, string[]>>();
holds<Same<FunctionReturn<"test.sleep">, true>>();
holds<Same<FunctionReturn<"backup.start">, { id: string }>>();
holds<Same<RunnerReturn<"manage.up">, string[]>>();
holds<Same<RunnerReturn<"fleet.report">, { minions: number }>>();
holds<Same<WheelReturn<"key.list_all">["minions_pre"], string[]>>();
holds<Same<FunctionReturn<["cmd.run", "cmd.shells"]>, { "cmd.run": string; "cmd.shells": string[] | string }>>();
// A name that no table has is called as well, and nothing is known of its return.
holds<Same<FunctionReturn<"no.such">, unknown>>();
holds<Same<FunctionReturn<string>, unknown>>();
holds<Same<RunnerReturn<string>, unknown>>();

// Names
export const names: FunctionName[] = ["test.ping", "backup.start"];
// @ts-expect-error no built-in function has this name
names.push("test.pong");

const execution = <const Fun>(_fun: Fun, _call: FunctionArguments<Fun>): void => {};

// By position, by name, or both
execution("test.ping", {});
execution("cmd.run", { arg: ["uptime"] });
execution("cmd.run", { arg: ["uptime", "/tmp"], kwarg: { python_shell: true } });
execution("cmd.run", { kwarg: { cmd: ["ls", "-l"], timeout: 5 } });
execution("disk.dump", { arg: ["/dev/sda"], kwarg: { args: "--getsize" } });
execution("test.arg", { arg: [1, "two"], kwarg: { any: { name: true } } });
execution("backup.start", { arg: ["home", 3] });
execution("backup.list", { kwarg: { of: "home" } });
execution("no.such", { arg: [1], kwarg: { two: 3 } });
execution("cmd.run" as string, { kwarg: { python_shell: "not known to be wrong" } });
execution("test.ping" as "test.ping" | "test.echo", { arg: ["x"] });
execution(["test.ping", "cmd.run"], { arg: [[], ["uptime"]] });

// @ts-expect-error cmd is missing
execution("cmd.run", {});
// @ts-expect-error a number is no command
execution("cmd.run", { arg: [5] });
// @ts-expect-error python_shell is a boolean
execution("cmd.run", { arg: ["ls"], kwarg: { python_shell: "yes" } });
// @ts-expect-error device is misspelt, and so missing
execution("disk.dump", { kwarg: { devce: "/dev/sda" } });
// @ts-expect-error there is no argument of this name
execution("disk.dump", { arg: ["/dev/sda"], kwarg: { arg: "--getsize" } });
// @ts-expect-error it takes no arguments
execution("test.ping", { arg: [1] });
// @ts-expect-error it takes no arguments
execution("test.ping", { kwarg: { text: "x" } });
// @ts-expect-error one argument too many
execution("test.echo", { arg: ["x", "y"] });
// @ts-expect-error text is given twice
execution("test.echo", { arg: ["x"], kwarg: { text: "y" } });
// @ts-expect-error seconds are a number
execution("test.sleep", { arg: ["1"] });
// @ts-expect-error keep is a number
execution("backup.start", { arg: ["home", "3"] });
// @ts-expect-error name is missing
execution("backup.start", { kwarg: { keep: 3 } });

const runner = <const Fun>(_fun: Fun, _call: RunnerArguments<Fun>): void => {};
runner("manage.up", {});
runner("manage.status", { kwarg: { tgt: "web*", timeout: 5 } });
runner("fleet.report", { kwarg: { since: "2026" } });
runner("no.such", { arg: [1] });
// @ts-expect-error the timeout is a number
runner("manage.up", { kwarg: { timeout: "5" } });
// @ts-expect-error there is no argument of this name
runner("manage.up", { kwarg: { target: "*" } });
// @ts-expect-error jid is missing
runner("jobs.lookup_jid", {});
// @ts-expect-error since is no number
runner("fleet.report", { kwarg: { since: 2026 } });

runner("fleet.move", { arg: ["there"], kwarg: { test: true, notes: ["a"], other: 1 } });
// @ts-expect-error test is given by name only
runner("fleet.move", { arg: ["there", true] });
// @ts-expect-error notes are text
runner("fleet.move", { arg: ["there"], kwarg: { notes: 1 } });

const wheel = <const Fun>(_fun: Fun, _call: WheelArguments<Fun>): void => {};
wheel("key.list_all", {});
wheel("key.accept", { kwarg: { match: "web*", include_rejected: true } });
wheel("no.such", { kwarg: { any: 1 } });
// @ts-expect-error match is missing
wheel("key.accept", {});
// @ts-expect-error match is misspelt
wheel("key.accept", { kwarg: { mtch: "web*" } });
// @ts-expect-error arguments of wheel functions are named
wheel("key.accept", { arg: ["web*"] });

const isUnknown = <T>(_value: T, _is: Same<T, unknown>): void => {};

/** The verbs themselves: on a master of this host as over HTTP. */
export async function verbs(salt: Salt, name: string, loose: PublishRequest): Promise<void> {
  for await (const outcome of salt.run({ tgt: "*", fun: "cmd.run_all", arg: ["uptime"] })) {
    if (outcome.kind === "returned") {
      holds<Same<typeof outcome.return, FunctionReturn<"cmd.run_all">>>();
      // @ts-expect-error it has no such field
      outcome.return.stdio;
    }
    // @ts-expect-error the return of one that failed may be text
    if (outcome.kind === "failed") outcome.return.stdout;
  }
  const [first] = await salt.run({ tgt: ["web1"], fun: "backup.start", kwarg: { name: "home" } }).all();
  if (first?.kind === "returned") holds<Same<typeof first.return.id, string>>();
  const disks = await salt.command({ tgt: "os:Debian", tgt_type: "grain", fun: "cmd.shells" }, { timeoutMs: 5000 });
  holds<Same<typeof disks, Record<string, string[] | string>>>();
  const several = await salt.command({ tgt: "*", fun: ["test.ping", "cmd.shells"], arg: [[], []] });
  holds<Same<typeof several[string], string | { "test.ping": boolean | string; "cmd.shells": string[] | string }>>();
  await salt.publish({ tgt: "*", fun: "test.sleep", arg: [1], jobTimeout: 60 });
  holds<Same<Awaited<ReturnType<typeof salt.runner<"manage.up">>>, string[]>>();
  const { up, down } = await salt.runner({ fun: "manage.status", kwarg: { timeout: 5 } });
  holds<Same<typeof up | typeof down, string[]>>();
  const { minions_pre } = await salt.wheel({ fun: "key.list_all" });
  holds<Same<typeof minions_pre, string[]>>();

  // What is not known at compile time is called all the same.
  for (const request of [loose, { tgt: "*", fun: name, arg: [1], kwarg: { two: 2 } }]) {
    for await (const outcome of salt.run(request)) if (outcome.kind === "returned") isUnknown(outcome.return, true);
  }
  isUnknown(await salt.runner({ fun: name, arg: ["x"] }), true);
  isUnknown(await salt.wheel({ fun: name }), true);
  isUnknown(await salt.runner({ fun: "no.such", kwarg: { x: 1 } }), true);

  // @ts-expect-error seconds are a number
  salt.run({ tgt: "*", fun: "test.sleep", arg: ["1"] });
  // @ts-expect-error length is missing
  await salt.command({ tgt: "*", fun: "test.sleep" });
  // @ts-expect-error misspelt
  await salt.publish({ tgt: "*", fun: "test.sleep", kwarg: { lenght: 1 } });
  // @ts-expect-error a request has a target
  salt.run({ fun: "test.ping" });
  // @ts-expect-error no such field of a request
  salt.run({ tgt: "*", fun: "test.ping", timeout: 5 });
  // @ts-expect-error the runner has no such argument
  await salt.runner({ fun: "manage.up", kwarg: { target: "*" } });
  // @ts-expect-error match is missing
  await salt.wheel({ fun: "key.accept" });
  // @ts-expect-error arguments of wheel functions are named
  await salt.wheel({ fun: "key.accept", arg: ["web1"] });
}

export const requests: [JobRequest, JobRequest<"test.sleep">, JobRequest<"backup.start">] = [
  { tgt: "*", fun: "anything.at_all", arg: [1] },
  { tgt: "*", fun: "test.sleep", arg: [1] },
  { tgt: "*", fun: "backup.start", kwarg: { name: "home" } },
];
