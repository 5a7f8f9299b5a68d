/** Parts that are kept running, their report, and the order in which they stop. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { turns } from "../../../bench/bed/until.ts";
import { frame } from "../../../src/protocol/wire/frames.ts";
import { superviseBed, text } from "./bed.ts";

describe("Supervisor", () => {
  test("a kept part is started again when it ends, later and later, and its last words are reported", async () => {
    const bed = await superviseBed();
    const part = bed.supervisor.keep({ name: "reactor", argv: ["worker"], config: () => ({}) });
    await turns(30);
    assert.deepEqual(await part.request("echo", text("a")), { value: "a" });
    assert.equal(await part.request("die", text("b")), undefined);
    await turns(30);
    const { state, restarts, last_words } = part.status();
    assert.deepEqual([state, restarts, last_words], [
      "waiting",
      1,
      { how: "exit code 3", words: "cannot go on with b" },
    ]);
    assert.equal(await part.request("echo", text("c")), undefined);
    bed.clock.advance(75);
    await turns(30);
    assert.equal(part.status().state, "running");
    assert.equal(await part.request("die", text("d")), undefined);
    await turns(30);
    bed.clock.advance(149);
    await turns(30);
    assert.equal(part.status().state, "waiting");
    bed.clock.advance(1);
    await turns(30);
    assert.equal(part.status().state, "running");
    assert.match(JSON.stringify(bed.captured.records), /process exited: restarting it.*"part":"reactor"/);
    await bed.supervisor.close();
    assert.deepEqual([part.status().state, part.status().processes], ["stopped", []]);
  });

  test("a kept part that hangs is replaced", async () => {
    const bed = await superviseBed();
    const part = bed.supervisor.keep({
      name: "engine",
      argv: ["worker"],
      config: () => ({}),
      health: { hungMs: 3000 },
    });
    await turns(30);
    const unanswered = part.request("hang", text("a"));
    await bed.beats(5);
    assert.equal(await unanswered, undefined);
    assert.equal(part.status().last_words?.how, "killed: it did not answer for 3 s");
    await bed.beats(1);
    assert.deepEqual(await part.request("echo", text("b")), { value: "b" });
    await bed.supervisor.close();
  });

  test("parts stop one after the other, the last first, though one of them fails", async () => {
    const bed = await superviseBed();
    const stopped: string[] = [];
    for (const name of ["a", "b", "c"]) {
      bed.supervisor.add({
        name,
        status: () => ({ name, state: "running", restarts: 0, processes: [], last_words: null }),
        async close() {
          await turns(30);
          stopped.push(name);
          if (name === "b") throw new Error("it does not want to");
        },
      });
    }
    assert.throws(() => bed.supervisor.add({ ...bed.supervisor, name: "b" } as never), /a part of that name exists/);
    assert.deepEqual(bed.supervisor.status().map(({ name }) => name), ["a", "b", "c"]);
    await Promise.all([bed.supervisor.close(), bed.supervisor.close()]);
    assert.deepEqual(stopped, ["c", "b", "a"]);
    assert.match(JSON.stringify(bed.captured.records), /process not stopped cleanly.*it does not want to/);
  });

  test("only processes that were started may report", async () => {
    const bed = await superviseBed();
    const part = bed.supervisor.keep({ name: "reactor", argv: ["worker"], config: () => ({}) });
    await turns(30);
    const connection = await bed.runtime.net.dial({ kind: "unix", path: "/run/parts.ipc" });
    const closed = Promise.withResolvers<void>();
    connection.start({ onData: () => {}, onClose: () => closed.resolve() });
    connection.write(frame({ type: "hello", token: "0".repeat(32), version: 1 }));
    await closed.promise;
    assert.deepEqual(await part.request("echo", text("a")), { value: "a" });
    await bed.supervisor.close();
  });
});
