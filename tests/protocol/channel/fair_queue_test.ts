import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FairQueue, MAX_OF_ONE, OVERHEAD, SHORT_MESSAGE } from "../../../src/protocol/channel/fair_queue.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** Messages of named callers that take a millisecond each. */
function bed(limit = 2 ** 25) {
  const clock = new FakeClock();
  const due: (() => void)[] = [];
  const begun: string[] = [];
  const reads: string[] = [];
  const queue = new FairQueue<{ remote: string; open: boolean }>({
    now: () => clock.now(),
    later: (call) => void due.push(call),
    begin(_sender, [name]) {
      begun.push(new TextDecoder().decode(name).trimEnd());
      clock.advance(1);
    },
    limit,
    isUrgent: ([frame]) => frame![0] === "!".charCodeAt(0),
    pause: () => void reads.push("pause"),
    resume: () => void reads.push("resume"),
  });
  const sender = (remote = "") => ({ remote, open: true });
  const add = (name: string, from = sender()) => queue.add(from, [new TextEncoder().encode(name)]);
  /** Runs the loop until nothing is due; returns what each turn started. */
  const turn = () => {
    for (const call of due.splice(0)) call();
    return begun.splice(0);
  };
  return { queue, add, sender, begun, turn, reads, clock };
}

const names = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => String(from + at));

describe("Turns", () => {
  test("starts messages in order, as long as there is time", () => {
    const { add, begun, turn } = bed();
    for (const name of names(0, 5)) add(name);
    assert.deepEqual(begun.splice(0), names(0, 5));
    assert.deepEqual(turn(), []);
  });

  test("starts the newest of the rest first, and each once", () => {
    const { add, begun, turn } = bed();
    for (const name of names(0, 35)) add(name);
    assert.deepEqual(begun.splice(0), names(0, 10));
    assert.deepEqual(turn(), names(25, 35).reverse());
    add("new");
    assert.deepEqual(turn(), ["new", ...names(16, 25).reverse()]);
    assert.deepEqual(turn(), names(10, 16).reverse());
    assert.deepEqual(turn(), []);
    add("later");
    assert.deepEqual(begun, ["later"]);
  });

  test("reads no more from a sender with many waiting messages, until half of them have begun", () => {
    const { add, sender, begun, turn, reads } = bed();
    const [flood, other] = [sender(), sender()];
    for (const name of names(0, 10 + MAX_OF_ONE - 1)) add(name, flood);
    assert.deepEqual(reads, []);
    add("last", flood);
    assert.deepEqual(reads.splice(0), ["pause"]);
    begun.length = 0;
    add("ping", other);
    assert.equal(turn()[0], "ping");
    const all: string[] = [];
    while (reads.length === 0) {
      const some = turn();
      assert.ok(some.length > 0 && all.push(...some) <= MAX_OF_ONE / 2 + 20, "it is read from again");
    }
    assert.deepEqual(reads, ["resume"]);
    for (let some = turn(); some.length > 0; some = turn()) all.push(...some);
    assert.equal(all.at(-1), "last");
    assert.equal(new Set(all).size, all.length);
  });

  test("starts short messages before long ones, of which each fourth place is one", () => {
    const { add, begun, turn } = bed();
    const long = (name: string) => name.padEnd(SHORT_MESSAGE + 1);
    for (const name of names(0, 10)) add(name);
    begun.length = 0;
    for (const name of ["a", "b", "c", "d"]) add(long(name));
    for (const name of names(0, 5)) add(name);
    assert.deepEqual(turn(), ["4", "3", "2", "d", "1", "0", "c", "b", "a"]);
    assert.deepEqual(turn(), []);
  });

  test("keeps the order of a sender's messages, short or long", () => {
    const { add, sender, begun, turn, queue } = bed();
    for (const name of names(0, 10)) add(name);
    begun.length = 0;
    const [one, other] = [sender(), sender()];
    for (const name of ["a1", "a2".padEnd(SHORT_MESSAGE + 1), "a3", "a4".padEnd(SHORT_MESSAGE + 1)]) add(name, one);
    for (const name of ["b1".padEnd(SHORT_MESSAGE + 1), "b2"]) add(name, other);
    add("c");
    assert.deepEqual(turn(), ["c", "a1", "a2", "a3", "a4", "b1", "b2"]);
    assert.equal(queue.size, 0);
  });

  test("keeps the order of each sender's own messages", () => {
    const { add, sender, begun, turn } = bed();
    for (const name of names(0, 10)) add(name);
    begun.length = 0;
    const one = sender();
    for (const name of ["a1", "a2", "a3"]) add(name, one);
    add("b");
    assert.deepEqual(turn(), ["b", "a1", "a2", "a3"]);
  });

  test("serves messages of disconnected callers when no other caller waits", () => {
    const { add, sender, begun, turn, queue } = bed();
    for (const name of names(0, 10)) add(name);
    begun.length = 0;
    const gone = sender();
    for (const name of ["gone1", "gone2"]) add(name, gone);
    gone.open = false;
    for (const name of ["a", "b"]) add(name);
    assert.deepEqual(turn(), ["b", "a", "gone1", "gone2"]);
    assert.equal(queue.size, 0);
  });

  test("forgets the oldest of those when there is no room for others", () => {
    const { add, sender, begun, turn, queue } = bed(30 * (OVERHEAD + 3));
    for (const name of names(0, 10)) add(name);
    begun.length = 0;
    const gone = names(100, 120).map((name) => {
      const from = sender();
      add(name, from);
      return from;
    });
    for (const from of gone) from.open = false;
    add("000");
    assert.deepEqual(turn(), ["000", ...names(100, 109)], "in a turn, from the last that was found to have gone");
    for (const name of names(200, 230)) add(name);
    const all: string[] = [];
    for (let some = turn(); some.length > 0; some = turn()) all.push(...some);
    assert.deepEqual(all, [...names(200, 230).reverse()]);
    assert.equal(queue.size, 0);
  });

  test("reads no more than it has room for: a sender with more waits until its messages are done", () => {
    const { add, sender, begun, queue } = bed(20 * (OVERHEAD + 100));
    const one = sender();
    for (let at = 0; at < 1000; at++) add("x".repeat(100), at % 2 === 0 ? one : sender());
    assert.ok(queue.size <= 20 * (OVERHEAD + 100));
    assert.ok(begun.length >= 980);
  });

  test("hurried senders go before others, those that wait already among them, and leave each fourth place", () => {
    const { add, sender, begun, turn, queue } = bed();
    for (const name of names(0, 10)) add(name);
    begun.length = 0;
    add("h1", sender("tcp://h1"));
    for (const name of names(0, 4)) add(name);
    queue.hurry(["tcp://h1", "tcp://h2", "tcp://h3", "tcp://h4", ""]);
    for (const name of ["h2", "h3", "h4"]) add(name, sender(`tcp://${name}`));
    // A quarter of 10 ms in each turn.
    const turned = [turn(), turn(), turn(), turn()];
    assert.deepEqual(turned, [["h4", "h3", "h2"], ["3", "h1", "2"], ["1", "0"], []]);
  });

  test("a sender is hurried for a few messages and a moment: who sends without end gains nothing", () => {
    const { add, sender, turn, queue, clock, begun } = bed();
    const rest = () => {
      const all: string[] = [];
      for (let some = turn(); some.length > 0; some = turn()) all.push(...some);
      return all;
    };
    for (const name of names(0, 10)) add(name);
    begun.length = 0;
    const flood = sender("tcp://flood");
    queue.hurry(["tcp://flood"]);
    for (const name of names(0, 8)) add(`f${name}`, flood);
    for (const name of ["a", "b", "c"]) add(name);
    assert.deepEqual(rest(), ["f0", "f1", "f2", "c", "f3", "b", "a", "f4", "f5", "f6", "f7"]);
    queue.hurry(["tcp://late"]);
    clock.advance(2000);
    for (const name of names(0, 10)) add(name);
    begun.length = 0;
    add("late", sender("tcp://late"));
    for (const name of ["a", "b"]) add(name);
    assert.deepEqual(rest(), ["b", "a", "late"]);
  });

  test("a sender is hurried for as many messages whether they come together or one by one", () => {
    const { add, sender, turn, queue, begun } = bed();
    for (const name of names(0, 10)) add(name);
    begun.length = 0;
    const greedy = sender("tcp://greedy");
    queue.hurry(["tcp://greedy"]);
    for (const name of names(0, 100)) add(name);
    for (const name of names(0, 4)) add(`g${name}`, greedy);
    assert.deepEqual([...turn(), ...turn()].slice(0, 6), ["g0", "g1", "g2", "99", "g3", "98"]);
    for (const name of names(0, 4)) add(`g${name}`, greedy);
    add("newer");
    assert.equal(turn()[0], "newer");
  });

  test("a sender of which much has begun is hurried for as many messages as any", () => {
    const { add, sender, turn, queue, begun } = bed();
    for (const name of names(0, 10)) add(name);
    begun.length = 0;
    const busy = sender("tcp://busy");
    for (const name of names(0, 20)) add(`b${name}`, busy);
    assert.equal(turn().length, 10);
    for (const name of ["x", "y", "z"]) add(name);
    queue.hurry(["tcp://busy"]);
    assert.deepEqual([...turn(), ...turn()].slice(0, 7), ["b10", "b11", "b12", "z", "b13", "y", "x"]);
  });

  test("urgent messages go before those that came after them", () => {
    const { add, begun, turn } = bed();
    for (const name of names(0, 10)) add(name);
    begun.length = 0;
    for (const name of ["!a", "0", "1", "2", "3", "4"]) add(name);
    assert.deepEqual(turn(), ["!a", "4", "3", "2", "1", "0"]);
  });
});
