import assert from "node:assert/strict";
import { test } from "node:test";
import { saltCommandLine, shellQuoted } from "../../src/console/command_line.ts";

const RUN = { where: "minions" as const, tgt: "*", type: "glob", fun: "cmd.run", arg: [], kwarg: {} };

for (
  const { run, want } of [
    { run: { arg: ["sleep 2; echo hi"] }, want: "salt '*' cmd.run 'sleep 2; echo hi'" },
    { run: { arg: ["it's"], tgt: "web1" }, want: "salt web1 cmd.run 'it'\\''s'" },
    {
      run: { tgt: "web* and G@os:Debian", type: "compound", fun: "state.apply", arg: ["app"], kwarg: { test: true } },
      want: "salt -C 'web* and G@os:Debian' state.apply app test=True",
    },
    {
      run: { tgt: "a,b", type: "list", fun: "test.arg", arg: [1, null, { a: "b c" }], kwarg: { x: "y z" } },
      want: `salt -L a,b test.arg 1 None '{"a":"b c"}' 'x=y z'`,
    },
    { run: { options: ["--batch-size=10%"], fun: "test.ping" }, want: "salt --batch-size=10% '*' test.ping" },
    { run: { where: "runner", fun: "manage.up" }, want: "salt-run manage.up" },
    { run: { where: "wheel", fun: "key.accept", kwarg: { match: "web1" } }, want: "wheel key.accept match=web1" },
  ] as { run: Partial<Parameters<typeof saltCommandLine>[0]>; want: string }[]
) {
  test(`a run is shown as ${want}`, () => assert.equal(saltCommandLine({ ...RUN, ...run }), want));
}

test("a target of thousands of minions is cut", () => {
  const line = saltCommandLine({ ...RUN, type: "list", tgt: "minion,".repeat(5000) });
  assert.ok(line.length < 2100);
  assert.match(line, /…/);
});

test("quoted() leaves plain words, and quotes what a shell would read", () => {
  assert.deepEqual(["a.b", "", "$(reboot)", "10.0.0.0/24"].map(shellQuoted), [
    "a.b",
    "''",
    "'$(reboot)'",
    "10.0.0.0/24",
  ]);
});
