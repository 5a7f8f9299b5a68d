import assert from "node:assert/strict";
import { test } from "node:test";
import { Progress } from "../../../cli/programs/salt/progress.ts";
import { StatusLine } from "../../../cli/terminal/status_line.ts";
import type { Outcome } from "../../../src/client/outcome.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const runtime = await currentRuntime();
const outcome = (retcode: number): Outcome => ({
  kind: retcode === 0 ? "returned" : "failed",
  id: "web1",
  jid: "",
  return: true,
  retcode,
  success: retcode === 0,
  out: undefined,
});

test("where there is no terminal, progress is a line for each tenth, and never more", () => {
  const lines: string[] = [];
  const progress = new Progress({ complain: (line) => void lines.push(line), runtime });
  progress.expect(5000);
  for (let at = 0; at < 5000; at++) progress.step(outcome(0));
  assert.equal(lines.length, 10);
  assert.equal(lines[0], "Progress: 500 of 5000 minions (10 %)");
  progress.step(outcome(0));
  assert.equal(lines.length, 10);
});

test("on a terminal it is a bar with what is done, failed and waiting, and the time that is left", () => {
  const clock = new FakeClock();
  const shown: string[] = [];
  const lines: string[] = [];
  const progress = new Progress({
    complain: (line) => void lines.push(line),
    statusLine: (line) => void shown.push(line),
    runtime: { ...runtime, clock },
  });
  progress.expect(4);
  assert.equal(shown.at(-1), "[....................]   0%  0 done, 0 failed, 4 waiting");
  clock.advance(2950);
  progress.step(outcome(0));
  assert.equal(shown.at(-1), "[#####...............]  25%  1 done, 0 failed, 3 waiting, 0:09 left");
  const drawn = shown.length;
  // Not drawn for each of thousands of returns.
  progress.step(outcome(1));
  assert.equal(shown.length, drawn);
  // The time goes on without any.
  clock.advance(1000);
  assert.equal(shown.at(-1), "[##########..........]  50%  1 done, 1 failed, 2 waiting, 0:04 left");
  progress.end();
  assert.equal(shown.at(-1), "");
  assert.deepEqual(lines, ["1 done, 1 failed, 2 waiting"]);
  const ended = shown.length;
  clock.advance(10_000);
  assert.equal(shown.length, ended);
});

test("a line at the end of the terminal makes room for what is printed", () => {
  let screen = "";
  const line = new StatusLine((text) => screen += text);
  line.hide();
  line.draw();
  assert.equal(screen, "");
  line.show("half");
  line.hide();
  line.draw();
  line.show("");
  line.draw();
  assert.equal(screen, "\r\x1b[Khalf\r\x1b[K\r\x1b[Khalf\r\x1b[K");
});
