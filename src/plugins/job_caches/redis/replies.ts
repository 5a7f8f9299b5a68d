import { decode } from "../../../protocol/wire/msgpack.ts";

export type Reply = null | number | Uint8Array | Reply[];

const utf8 = new TextDecoder();

export const textOf = (reply: Reply): string => reply instanceof Uint8Array ? utf8.decode(reply) : String(reply);

export const textsOf = (reply: Reply): string[] => (reply as Reply[]).map(textOf);

/** A value that was stored as msgpack. */
export const valueOf = (reply: Reply): unknown => decode(reply as Uint8Array, { mode: "bin" });

/** The names and values of a hash. */
export function* pairsOf(reply: Reply): Iterable<[name: string, value: Reply]> {
  const list = reply as Reply[];
  for (let at = 0; at < list.length; at += 2) yield [textOf(list[at]!), list[at + 1]!];
}

/** Splits `jid minion`, a member of a `state:` set. */
export function splitMember(member: string): [jid: string, minion: string] {
  const space = member.indexOf(" ");
  return [member.slice(0, space), member.slice(space + 1)];
}
