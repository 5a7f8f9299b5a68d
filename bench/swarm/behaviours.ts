/** What minions of a swarm do: one entry for each behaviour. */
import { encode } from "../../src/protocol/wire/msgpack.ts";
import type { BehaviourName } from "./mix.ts";
import type { SwarmPart } from "./part.ts";
import { answerOf, signInAnswer, type SimulatedMinion } from "./simulated_minion.ts";
import type { Answer } from "./tally.ts";

/** The load of a publication. */
export interface JobLoad extends Record<string, unknown> {
  jid: string;
  fun: string;
}

export interface Behaviour {
  /** Whether each job that it gets has its return; of the others nothing is expected. */
  returns: boolean;
  /** Once it has signed in and listens. */
  begin?(minion: SimulatedMinion, part: SwarmPart): void;
  /** A job that it is a target of. @throws where the honest return was not taken */
  answer(minion: SimulatedMinion, load: JobLoad, part: SwarmPart): Promise<void>;
  /** A job that is for others. */
  overhear?(minion: SimulatedMinion, load: JobLoad, part: SwarmPart): Promise<void>;
}

/** What every lie says, to be looked for on record. */
export const LIE = "a lie of the swarm";
/** No publication has this jid. */
const UNKNOWN_JID = "20200101000000000001";

const pick = (values: readonly number[], random: () => number) => values[0]! + random() * (values[1]! - values[0]!);

/** The honest value of a job. */
function valueOf(minion: SimulatedMinion, { fun, arg }: JobLoad): unknown {
  if (fun !== "saltutil.find_job") return true;
  const jid = Array.isArray(arg) ? String(arg[0]) : "";
  return minion.open.get(jid) ?? {};
}

export function returnOf(
  minion: SimulatedMinion,
  load: JobLoad,
  value = valueOf(minion, load),
): Record<string, unknown> {
  const ret: Record<string, unknown> = { cmd: "_return", id: minion.id, success: true, return: value, retcode: 0 };
  Object.assign(ret, { jid: load.jid, fun: load.fun, fun_args: load.arg });
  if (load.user !== undefined) ret.user = load.user;
  return ret;
}

async function answerHonestly(minion: SimulatedMinion, load: JobLoad, part: SwarmPart, value?: unknown): Promise<void> {
  await minion.requests.send(returnOf(minion, load, value), { timeoutMs: part.timeoutMs, tries: 1 });
}

/** Sends what no honest minion would, and counts the answer. */
async function deed(
  part: SwarmPart,
  { behaviour }: SimulatedMinion,
  what: string,
  send: () => Promise<Answer>,
): Promise<void> {
  let answer: Answer = "no answer";
  try {
    answer = await send();
  } catch {
    // Counted as no answer.
  }
  part.tally.count(behaviour, what, answer);
}

const sendSealed = async (minion: SimulatedMinion, bytes: Uint8Array) => answerOf(await minion.exchange(bytes));

async function lie(minion: SimulatedMinion, load: JobLoad, part: SwarmPart): Promise<void> {
  await answerHonestly(minion, load, part);
  const lied = returnOf(minion, load, LIE);
  const other = part.another(minion);
  await deed(part, minion, "a second return of its own, changed", () => sendSealed(minion, minion.sealed(lied)));
  await deed(
    part,
    minion,
    "a return of a job that was never published",
    () => sendSealed(minion, minion.sealed({ ...lied, jid: UNKNOWN_JID })),
  );
  await deed(
    part,
    minion,
    "a return in another's name",
    () => sendSealed(minion, minion.sealed({ ...lied, id: other.id }, other.id)),
  );
}

async function replay(minion: SimulatedMinion, load: JobLoad, part: SwarmPart): Promise<void> {
  await answerHonestly(minion, load, part);
  const own = minion.lastSealed!;
  await deed(part, minion, "its own return, the same bytes again", () => sendSealed(minion, own));
  // Captured from the network: the one that sent it signs in again with its next request.
  const captured = part.another(minion).lastSealed;
  if (captured === undefined) return;
  await deed(part, minion, "another's return, the same bytes again", () => sendSealed(minion, captured));
}

/** Signs in under an id that is not its own, or none. */
async function strangeSignIn(minion: SimulatedMinion, part: SwarmPart, what: string, id: string): Promise<void> {
  const { encryption, signing } = minion.auth.algorithms;
  const load = { cmd: "_auth", id, nonce: "0".repeat(32), enc_algo: encryption, sig_algo: signing };
  const bytes = encode({ enc: "clear", load: { ...load, pub: minion.identity.publicPem }, version: 3 }, "wire");
  await deed(part, minion, what, async () => {
    const answer = signInAnswer(await minion.exchange(bytes));
    return answer === "later" ? "no answer" : answer;
  });
}

async function tryWrongIds(minion: SimulatedMinion, part: SwarmPart): Promise<void> {
  const other = part.withAnotherKey(minion);
  if (other !== undefined) await strangeSignIn(minion, part, "a sign-in with another's id", other.id);
  await strangeSignIn(minion, part, "a sign-in with an id that is a path", "../../etc/swarm");
  await strangeSignIn(minion, part, "a sign-in with an id of 300 characters", "x".repeat(300));
}

/** Loses its connections again and again, and signs in each time. */
async function flap(minion: SimulatedMinion, part: SwarmPart): Promise<void> {
  const { clock } = part.runtime;
  for (;;) {
    await clock.sleep(pick([part.paceMs, part.paceMs * 3], part.random));
    await minion.disconnect();
    await clock.sleep(pick([0, part.paceMs / 4], part.random));
    await deed(part, minion, "a sign-in over a new connection", async () => {
      await minion.renew();
      await part.listen(minion);
      return "accepted";
    });
  }
}

export const BEHAVIOUR: Record<BehaviourName, Behaviour> = {
  honest: { returns: true, answer: answerHonestly },
  /** Works longer than a caller waits without asking; meanwhile it says that it does. */
  slow: {
    returns: true,
    async answer(minion, load, part) {
      if (load.fun === "saltutil.find_job") return await answerHonestly(minion, load, part);
      minion.open.set(load.jid, { jid: load.jid, fun: load.fun, arg: load.arg, pid: 1, tgt: load.tgt });
      await part.runtime.clock.sleep(pick([part.paceMs / 2, part.paceMs * 2], part.random));
      await answerHonestly(minion, load, part);
      minion.open.delete(load.jid);
    },
  },
  flapping: {
    returns: false,
    begin: (minion, part) => void flap(minion, part),
    answer: (minion, load, part) =>
      deed(part, minion, "a return", async () => {
        await answerHonestly(minion, load, part);
        return "taken";
      }),
  },
  lying: {
    returns: true,
    answer: lie,
    overhear: (minion, load, part) =>
      deed(
        part,
        minion,
        "a return of a job for others",
        () => sendSealed(minion, minion.sealed(returnOf(minion, load, LIE))),
      ),
  },
  replaying: { returns: true, answer: replay },
  silent: {
    returns: false,
    async answer(minion, _load, part) {
      part.tally.count(minion.behaviour, "nothing", "no answer");
    },
  },
  huge: {
    returns: true,
    answer: (minion, load, part) =>
      load.fun === "saltutil.find_job"
        ? answerHonestly(minion, load, part)
        : deed(part, minion, "a huge return", async () => {
          await answerHonestly(minion, load, part, part.hugeValue());
          return "taken";
        }),
  },
  wrong_id: {
    returns: true,
    begin: (minion, part) => void tryWrongIds(minion, part),
    async answer(minion, load, part) {
      await answerHonestly(minion, load, part);
      const bytes = minion.sealed(returnOf(minion, load, LIE), minion.id, part.another(minion).id);
      await deed(part, minion, "an envelope in another's name", () => sendSealed(minion, bytes));
    },
  },
};
