import assert from "node:assert/strict";
import { test } from "node:test";
import { masterOptions } from "../../../src/model/config/given.ts";

test("masterOptions() joins a list of maps in nodegroups, as Salt does", () => {
  const { nodegroups } = masterOptions({ nodegroups: [{ web: "web*" }, { db: "db*" }, "x"] } as never);
  assert.deepEqual({ ...nodegroups }, { web: "web*", db: "db*" });
});

test("masterOptions() keeps options without effect as they were given", () => {
  assert.deepEqual(masterOptions({ event_return: ["syslog", "local"] } as never).event_return, ["syslog", "local"]);
});
