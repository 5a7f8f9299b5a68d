/** What the engines `stalekey`, `test` and `redis_sentinel` are to meet. */

/** One round of `stalekey`. */
export interface StaleRound {
  /** Minions whose keys are accepted before it. */
  accept?: string[];
  /** Ids that are connected. */
  connected?: string[];
}

export interface StaleCase {
  settings?: { interval?: number; expire?: number };
  /** What `presence.p` has before the first round: seconds since then. @default there is none */
  before?: Record<string, number>;
  rounds: StaleRound[];
}

/** When the first round begins, in seconds since the epoch. */
export const BEGINS = 1_770_000_000;

const HOURS = (count: number, connected: string[] = []) => Array.from({ length: count }, () => ({ connected }));

export const STALE_CASES: Record<string, StaleCase> = {
  "all are new": { rounds: [{ accept: ["web1", "db1"] }] },
  "one is connected, one is not": {
    settings: { interval: 60, expire: 150 },
    rounds: [{ accept: ["web1", "db1"], connected: ["web1"] }, ...HOURS(4, ["web1"])],
  },
  "expire is a multiple of interval": {
    settings: { interval: 60, expire: 120 },
    rounds: [{ accept: ["db1"] }, ...HOURS(3)],
  },
  "it comes back in time, and goes again": {
    settings: { interval: 60, expire: 150 },
    rounds: [{ accept: ["web1"] }, {}, { connected: ["web1"] }, {}, {}, {}, {}],
  },
  "of the file of before": {
    settings: { interval: 3600, expire: 7200 },
    before: { old: 7201, edge: 7200, young: 10, back: 9000 },
    rounds: [{ accept: ["old", "edge", "young", "back", "fresh"], connected: ["back"] }],
  },
  "the defaults": {
    before: { old: 604_801, edge: 604_800 },
    rounds: [{ accept: ["old", "edge"] }],
  },
  "accepted meanwhile": {
    settings: { interval: 60, expire: 90 },
    rounds: [{ accept: ["a1"] }, {}, { accept: ["a2"] }, {}, {}],
  },
  "connected without a key": {
    settings: { interval: 60, expire: 90 },
    rounds: [{ accept: ["a1"], connected: ["a1", "stranger"] }, { connected: ["stranger"] }],
  },
  "several at once, in the order of the file": {
    settings: { interval: 60, expire: 100 },
    before: { zeta: 500, alpha: 400, mid: 20 },
    rounds: [{ accept: ["alpha", "mid", "zeta"] }],
  },
  "deleted and accepted again": {
    settings: { interval: 60, expire: 100 },
    before: { web1: 500 },
    rounds: [{ accept: ["web1"] }, { accept: ["web1"] }, {}, {}],
  },
  "a name with other letters": {
    settings: { interval: 60, expire: 100 },
    before: { "web-1_x.example": 500, "grün": 500 },
    rounds: [{ accept: ["web-1_x.example", "grün"] }],
  },
  "a name that is a pattern": {
    settings: { interval: 60, expire: 100 },
    before: { "web[12]": 500, web1: 10, web2: 10 },
    rounds: [{ accept: ["web[12]", "web1", "web2"], connected: ["web1"] }],
  },
  "without a key": {
    settings: { interval: 60, expire: 100 },
    before: { gone: 500, left: 20, web1: 20 },
    rounds: [{ accept: ["web1"], connected: ["web1"] }, { connected: ["web1"] }, { connected: ["web1"] }],
  },
};

/** Events on the bus. */
export const TEST_EVENTS: [string, Record<string, unknown>][] = [
  ["my/a", { n: 1, t: "grün 日本 \u{1f600}", f: 1.5, g: 2, none: null, yes: true }],
  ["my/deep", { l: [1, [2, { a: [] }]], m: { z: 1, a: { b: {} } } }],
  ["salt/job/20260101000000000000/ret/web1", {
    id: "web1",
    fun: "cmd.run",
    fun_args: ["printf 'a\\tb\\n'"],
    return: 'a\tb\n\u0001"quoted" \\ / </script>',
    retcode: 0,
    success: true,
  }],
  ["my/numbers", { big: 9007199254740991, small: -5, exp: 1e100, tiny: 1e-7, round: 100000.5 }],
  ["my/empty", {}],
  ["my/long", { text: "x".repeat(2100) }],
];

export interface RedisCase {
  hosts?: Record<string, unknown>;
  settings?: Record<string, unknown>;
  /** What `network.ip_addrs` has answered. @default one minion with the address of the server */
  answers?: Record<string, unknown>;
  /** Messages by channel, published one after the other. */
  publish?: [string, string][];
  /** The server ends the connection after the messages, and they are published again. */
  cut?: true;
}

/** The password of the server. */
export const PASSWORD = "open-sesame";

const SENTINEL_WORDS: [string, string][] = [
  ["+sdown", "master mymaster 127.0.0.1 6379"],
  ["+odown", "master mymaster 127.0.0.1 6379 #quorum 2/2"],
  ["+odown", "master mymaster"],
  ["+odown", "x"],
  ["+odown", ""],
  ["-odown", "master mymaster 127.0.0.1 6379"],
  ["+switch-master", "mymaster 127.0.0.1 6379 127.0.0.1 6380"],
  ["+switch-master", "mymaster 127.0.0.1 6379 127.0.0.1 6380 more and more"],
  ["+switch-master", "mymaster  two-blanks 1"],
  ["+switch-master", "one"],
  ["+switch-master", ""],
  ["+slave", "slave 127.0.0.1:6380 127.0.0.1 6380 @ mymaster 127.0.0.1 6379"],
  ["+new-epoch", "5"],
  ["plain", "5"],
  ["plain", "1.5"],
  ["plain", "grün\r\nsecond line"],
  ["a/b c/d", '{"json": true}'],
];

export const REDIS_CASES: Record<string, RedisCase> = {
  "every channel": { settings: { channels: ["*"] }, publish: SENTINEL_WORDS },
  "some channels": { settings: { channels: ["+switch-master", "+odown", "-odown"] }, publish: SENTINEL_WORDS },
  "patterns": { settings: { channels: ["+*", "?down", "[a-p]*"] }, publish: SENTINEL_WORDS },
  "a channel twice": { settings: { channels: ["+odown", "*odown"] }, publish: SENTINEL_WORDS },
  "a text": { settings: { channels: "+odown" }, publish: SENTINEL_WORDS },
  "null": { settings: { channels: null }, publish: SENTINEL_WORDS },
  "a tag": { settings: { channels: ["+odown"], tag: "my/redis" }, publish: SENTINEL_WORDS },
  "an empty tag": { settings: { channels: ["+odown"], tag: "" }, publish: SENTINEL_WORDS },
  "a wrong password": { settings: { channels: ["*"], password: "no" } },
  "no password": { settings: { channels: ["*"], password: null } },
  "the server ends the connection": {
    settings: { channels: ["plain"] },
    publish: [["plain", "before"]],
    cut: true,
  },
  "nobody answers": { settings: { channels: ["*"] }, answers: {} },
  "no address": { settings: { channels: ["*"] }, answers: { board1: [] } },
  "the last that answers": {
    settings: { channels: ["plain"] },
    answers: { board1: ["127.0.0.9"], board2: ["127.0.0.1", "127.0.0.9"] },
    publish: [["plain", "x"]],
  },
  "the last has no address": {
    settings: { channels: ["plain"] },
    answers: { board1: ["127.0.0.1"], board2: [] },
  },
  "no matching": { hosts: { port: "PORT", interface: "eth2" }, settings: { channels: ["*"] } },
};
