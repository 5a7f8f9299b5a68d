/** Choices that a seed repeats: what real Salt 3006 chooses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "../../../src/base/log.ts";
import { jinja } from "../../../src/language/render/jinja.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";

const runtime = await currentRuntime();
const job = { path: "/t", saltenv: "base", argline: "", log: silentLogger, globals: {} };
const render = async (text: string) => String(await jinja(runtime)(text, job));

for (
  const [seed, sample, shuffled] of [
    ["static", "[7, 8, 4]", "[7, 8, 4, 3, 2, 6, 1, 5]"],
    ["web1", "[8, 5, 6]", "[8, 5, 6, 2, 3, 4, 1, 7]"],
    ["é", "[2, 5, 7]", "[2, 5, 7, 3, 6, 1, 4, 8]"],
    ["", "[2, 4, 5]", "[2, 4, 5, 3, 7, 6, 8, 1]"],
  ]
) {
  test(`the seed "${seed}"`, async () => {
    assert.equal(await render(`{{ [1,2,3,4,5,6,7,8] | random_sample(3, seed="${seed}") }}`), sample);
    assert.equal(await render(`{{ [1,2,3,4,5,6,7,8] | random_shuffle(seed="${seed}") }}`), shuffled);
  });
}

test("a seed that is a number is refused", async () => {
  await assert.rejects(render("{{ [1, 2] | random_shuffle(seed=7) }}"), /buffer API/);
});
