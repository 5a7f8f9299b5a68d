/** Answers of debconf, in a database of their own; and what is refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { programPath } from "../../src/plugins/commands.ts";
import { currentRuntime } from "../../src/runtime/current.ts";
import { testMinion } from "../support/context.ts";
import { memoryHost } from "../support/memory_host.ts";
import { withEnvironment } from "../support/state_job.ts";
import { inTemporary } from "./temporary.ts";

const runtime = await currentRuntime();
const missing = ["debconf-get-selections", "debconf-set-selections"].find((name) =>
  programPath({ runtime }, name) === undefined
);
const skip = missing === undefined ? false : `there is no ${missing}`;

/** Databases of a test's own, in the words of debconf.conf. */
const configuration = (directory: string): string =>
  ["config", "templates"].map((name) =>
    `${name === "config" ? "Config: config\nTemplates: templates\n\n" : ""}Name: ${name}\nDriver: File\n` +
    `Filename: ${directory}/${name}.dat\n`
  ).join("\n");

test("debconf.set answers a question in the database, and leaves no file", { skip }, async () => {
  await inTemporary(runtime, async (directory) => {
    runtime.fs.write(`${directory}/.debconfrc`, configuration(directory));
    const variables = { DEBCONF_SYSTEMRC: `${directory}/.debconfrc`, TMPDIR: directory };
    const minion = await testMinion({ runtime: withEnvironment(variables), grains: { os_family: "Debian" } });
    const set = async (...words: string[]) =>
      await minion.value("debconf.set", "brine", "brine/words", "string", ...words);
    assert.equal(await set("some", "words"), true);
    assert.deepEqual(await minion.value("debconf.show", "brine"), [["brine/words", "string", "some words"]]);
    await set("other");
    assert.deepEqual(await minion.value("debconf.show", "brine"), [["brine/words", "string", "other"]]);
    assert.deepEqual(
      runtime.fs.list(directory).filter((name) => !/^(?:\.debconfrc|\w+\.dat(?:-old)?)$/.test(name)),
      [],
    );
  });
});

for (
  const arg of [
    ["a b", "q", "string", "x"],
    ["a", "q\nx", "string", "x"],
    ["a", "q", "string", "x\nb c boolean true"],
    ["a", "q", "string", "x", "y\rz"],
  ]
) {
  test(`debconf.set refuses ${JSON.stringify(arg)}`, async () => {
    const { minion, ran } = await memoryHost({ programs: ["debconf-get-selections"] });
    const outcome = await minion.run("debconf.set", arg);
    assert.match(String(outcome.return), /each one word|it has more than one line/);
    assert.deepEqual(ran, []);
  });
}
