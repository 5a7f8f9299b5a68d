/** The judge of the soak finds a leak of a small size in what a real run has shown, and finds none where none is. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { seeded } from "../faults/history.ts";
import { boundOf } from "./bounds.ts";
import { judge, lowest, type Sample, slope, warm } from "./judge.ts";

const MIB = 2 ** 20;

/** An hour, a sample each ten seconds. */
function hour(valueOf: (at: number) => number, lifeOf: (at: number) => number = () => 1): Sample[] {
  return Array.from({ length: 360 }, (_, at) => ({ atMs: at * 10_000, life: lifeOf(at), value: valueOf(at) }));
}

/** Memory as a collector leaves it: it climbs, and falls when it is collected. */
function sawtooth(seed: number, leakPerHour = 0): Sample[] {
  const random = seeded(seed);
  return hour((at) => 120 * MIB + (at % 7) * 3 * MIB + random() * 2 * MIB + leakPerHour * at / 360);
}

describe("slope()", () => {
  test("is that of a line, whatever a quarter of the samples are", () => {
    const random = seeded(1);
    const samples = hour((at) => at % 4 === 0 ? random() * 1e6 : 50 + at);
    assert.ok(Math.abs(slope(samples) * 10_000 - 1) < 0.2, `${slope(samples) * 10_000}`);
  });

  test("compares no process with the one before it", () => {
    // Each process begins with more than the last one and then frees some of it.
    const samples = hour((at) => Math.floor(at / 60) * 1000 - at % 60, (at) => Math.floor(at / 60));
    assert.ok(slope(samples) < 0);
  });

  test("of a sample alone is 0", () => assert.equal(slope([{ atMs: 0, life: 1, value: 7 }]), 0));
});

test("warm() leaves out the beginning of each process", () => {
  const left = warm(hour((at) => at, (at) => at < 100 ? 1 : 2), 300_000).map(({ value }) => value);
  assert.deepEqual([left[0], left.length, left.includes(99), left.includes(129), left.includes(130)], [
    30,
    300,
    true,
    false,
    true,
  ]);
});

test("lowest() leaves out a last part that is too short to compare", () => {
  const least = lowest(hour((at) => at % 10 + 1).slice(0, 25), 10);
  assert.deepEqual(least.map(({ value }) => value), [1, 1]);
});

describe("judge()", () => {
  const bounds = { rss: boundOf("master rss", 60), descriptors: boundOf("master descriptors", 60) };

  for (let seed = 1; seed <= 20; seed++) {
    test(`memory that goes up and down is flat, and a leak of 16 MiB an hour in it is found (${seed})`, () => {
      assert.equal(judge("rss", sawtooth(seed), bounds.rss).flat, true);
      assert.equal(judge("rss", sawtooth(seed, 16 * MIB), bounds.rss).flat, false);
    });
  }

  test("connections that come and go are flat, and one that stays open every five minutes is found", () => {
    const random = seeded(3);
    const used = (leaks: number) => hour((at) => 80 + Math.floor(random() * 12) + Math.floor(at / 30) * leaks);
    assert.equal(judge("descriptors", used(0), bounds.descriptors).flat, true);
    assert.equal(judge("descriptors", used(1), bounds.descriptors).flat, false);
  });

  test("a process that is left behind every ten minutes is found", () => {
    const random = seeded(4);
    const children = (leaks: number) => hour((at) => 3 + Math.floor(random() * 3) + Math.floor(at / 60) * leaks);
    assert.equal(judge("children", children(0), boundOf("master children", 60)).flat, true);
    assert.equal(judge("children", children(1), boundOf("master children", 60)).flat, false);
  });
});

describe("in what an hour of a real run has shown", () => {
  const file = new URL("recorded_hour.json", import.meta.url);
  const { series } = JSON.parse(readFileSync(file, "utf8")) as { series: Record<string, [number, number, number][]> };

  /** What is planted for an hour into each kind of figure: 9 KB a second, a connection each five minutes, a child each ten. */
  const LEAKS: Record<string, number> = { rss: 32 * MIB, descriptors: 12, children: 6 };

  for (const [name, rows] of Object.entries(series)) {
    const kind = name.split(" ")[1]!;
    const samples = (leak: number) => {
      const unit = kind === "rss" ? 4096 : 1;
      const all = rows.map(([second, life, value]): Sample => ({ atMs: second * 1000, life, value: value * unit }));
      const planted = all.map((one) => ({ ...one, value: one.value + Math.floor(leak * one.atMs / 3_600_000) }));
      return warm(planted, 600_000);
    };
    test(`${name} is flat, and a leak that is planted into it is found`, () => {
      const bound = boundOf(name, 60);
      assert.equal(judge(name, samples(0), bound).flat, true);
      const { flat, growth, allowed } = judge(name, samples(LEAKS[kind]!), bound);
      assert.equal(flat, false, `it grew by ${growth}, and ${allowed} is allowed`);
    });
  }
});
