import { decode } from "../../../protocol/wire/msgpack.ts";
import type { Source } from "../search_store.ts";

export type RedisReply = null | number | Uint8Array | RedisReply[];

const utf8 = new TextDecoder();

export const replyText = (reply: RedisReply): string =>
  reply instanceof Uint8Array ? utf8.decode(reply) : String(reply);

export const replyTexts = (reply: RedisReply): string[] => (reply as RedisReply[]).map(replyText);

/** A value that was stored as msgpack. */
export const replyValue = (reply: RedisReply): unknown => decode(reply as Uint8Array, { mode: "bin" });

export function* replyPairs(reply: RedisReply): Iterable<[name: string, value: RedisReply]> {
  const list = reply as RedisReply[];
  for (let at = 0; at < list.length; at += 2) yield [replyText(list[at]!), list[at + 1]!];
}

export function splitMember(member: string): [jid: string, minion: string] {
  const space = member.indexOf(" ");
  return [member.slice(0, space), member.slice(space + 1)];
}

/**
 * The keys of the job cache, below `brine:`. Sets that are read in the order of their members have all scores 0.
 *
 * - of a job: `job` (hash: load, bytes), `target` (hash: source → minions), `ret` (hash: minion → return), `back` (hash:
 *   minion → time and whether it failed), `outcome` (hash: minion → outcome), `words` (set: what it can be searched by)
 * - of all: `jobs` (jids by time), `entries` (hash: jid → text of the list), `listed`, `open`, `failed` (jids in order),
 *   `state:S` (`jid minion` in order), `word:K:W` (jids in order), `words:K` (words in order), `bytes`
 */
export const redisKey = (...parts: string[]): string => ["brine", ...parts].join(":");

/** The set that holds the jids of a source. */
export function stateSet(source: Source): string {
  switch (source.kind) {
    case "listed":
    case "open":
    case "failed":
      return redisKey(source.kind);
    case "word":
      return redisKey("word", source.of, source.word);
    case "state":
      return redisKey("state", source.state);
  }
}
