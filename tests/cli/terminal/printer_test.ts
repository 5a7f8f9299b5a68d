import assert from "node:assert/strict";
import { test } from "node:test";
import { makePrinter } from "../../../cli/terminal/printer.ts";
import type { ProgramContext } from "../../../cli/program/context.ts";
import { currentRuntime } from "../../../src/runtime/current.ts";
import { captureLog } from "../../support/capture_log.ts";

test("an outputter that does not exist is reported once, however many minions return", async () => {
  const { log, records } = captureLog();
  const printed: string[] = [];
  const context = {
    runtime: await currentRuntime(),
    options: { output: "foo" },
    explicit: new Set(["output"]),
    log,
    print: (text: string) => void printed.push(text),
    terminal: false,
  } as unknown as ProgramContext;
  const printer = await makePrinter(context, {});
  for (const id of ["web1", "web2", "web3"]) await printer.document({ [id]: true });
  assert.deepEqual(printed, ["web1:\n    True\n", "web2:\n    True\n", "web3:\n    True\n"]);
  assert.deepEqual(records.map(({ message }) => message), ["Invalid outputter foo specified, fall back to nested"]);
});
