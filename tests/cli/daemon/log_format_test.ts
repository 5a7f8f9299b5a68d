/** Lines of the log by the formats of the configuration, against what Python's logging writes for them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileLogFormat } from "../../../cli/daemon/log_format.ts";
import { granularLevels, leastLevel, levelFor, logFormats } from "../../../cli/daemon/log_settings.ts";
import type { LogRecord } from "../../../src/base/log.ts";

const record: LogRecord = { level: "warning", name: "channel.req", message: "refused", fields: { id: "web1" } };
// In local time, as the log has it.
const time = new Date(2026, 10, 21, 9, 5, 7, 45);
const line = (format: string, more: Partial<LogRecord> = {}, colors = false) =>
  compileLogFormat(format, { option: "log_fmt_logfile", date: "%Y-%m-%d %H:%M:%S", colors })(
    { ...record, ...more },
    time,
    4711,
  );

describe("a format of the log", () => {
  for (
    const [format, want] of [
      [
        "%(asctime)s,%(msecs)03d [%(name)-17s:%(lineno)-4d][%(levelname)-8s][%(process)d] %(message)s",
        "2026-11-21 09:05:07,045 [channel.req      :0   ][WARNING ][4711] refused: id=web1",
      ],
      ["[%(levelname)-8s] %(message)s", "[WARNING ] refused: id=web1"],
      ["%(bracketname)s%(bracketlevel)s%(bracketprocess)s", "[channel.req      ][WARNING ][ 4711]"],
      ["%(colorname)s%(colorlevel)s%(colorprocess)s", "[channel.req      ][WARNING ][ 4711]"],
      ["100%% %(levelno)d %(levelno)5d|%(levelno)-5d|%(levelno)05d", "100% 30    30|30   |00030"],
      ["%(message).3s|%(levelname)10.4s", "ref|      WARN"],
      ["%(process)x %(process)+d %(msecs)d %(msecs).1f", "1267 +4711 45 45.0"],
      ["%(module)s%(funcName)s%(filename)s %(threadName)s", "req MainThread"],
      ["%(jid)s%(message)s", "refused: id=web1"],
    ] as const
  ) test(format, () => assert.equal(line(format), want));

  test("has the job id of a record of a job", () => {
    assert.equal(line("%(message)s %(jid)s", { fields: { jid: "2026" } }), "refused: jid=2026 [JID: 2026]");
  });

  test("has Salt's colours where they are asked for", () => {
    assert.equal(
      line("%(colorlevel)s %(colormsg)s", {}, true),
      "\x1b[0;1;33m[WARNING ]\x1b[0m \x1b[0;33mrefused: id=web1\x1b[0m",
    );
  });

  test("takes nothing of a peer for a format or for a control character", () => {
    assert.equal(
      line("%(message)s%(jid)s", { fields: { jid: "%(process)s\n\x1b[2J" } }),
      "refused: jid=%(process)s\\x0a\\x1b[2J[JID: %(process)s\\x0a\\x1b[2J]",
    );
  });

  for (
    const [format, why] of [
      ["%(mesage)s", /log_fmt_logfile is "%\(mesage\)s": "mesage" is not an attribute. Use one of .*message/],
      ["%(message)", /"%\(message\)" is not an attribute. Write %\(message\)s/],
      ["%(message)d", /%\(message\)d is not supported/],
      ["%s", /"%s" is not an attribute/],
      ["50%", /"%" is not an attribute/],
      ["hello", /it has no attribute, so all lines would be equal/],
      ["%(message)999999999s", /too wide/],
      ["%(__proto__)s", /"__proto__" is not an attribute/],
    ] as const
  ) test(`cannot be ${format}`, () => assert.throws(() => line(format), why));
});

test("an empty format is Salt's default", () => {
  const { console, file } = logFormats({ log_fmt_console: "", log_fmt_logfile: null });
  assert.equal(console(record, time, 1), "[WARNING ] refused: id=web1");
  assert.match(file(record, time, 1), /^2026-11-21 09:05:07,045 \[channel\.req {6}:0 {3}\]\[WARNING \]\[1\] refused/);
});

test("levels of single parts replace the others, the longest name first", () => {
  const levels = {
    console: "warning",
    file: "info",
    granular: granularLevels({
      log_granular_levels: { "salt.channel": "debug", "channel.req": "error", jobs: "quiet" },
    }),
  } as const;
  const of = (name: string) => levelFor(levels, name, "file");
  assert.deepEqual(
    ["channel", "channel.pub", "channel.req", "channel.request", "jobs", "auth", ""].map(of),
    ["debug", "debug", "error", "debug", "quiet", "info", "info"],
  );
  assert.equal(leastLevel(levels), "debug");
  assert.equal(levelFor({ ...levels, console: "quiet" }, "channel", "console"), "quiet");
});
