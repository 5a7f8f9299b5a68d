/** A master of a cluster: whether it may decide, and whether it reaches what it shares with the others. */
import type { LocalClient } from "../../../src/client/local_client.ts";
import { messageOf } from "../../../src/base/errors.ts";
import { doubtful, type Finding, wrong } from "../../daemon/check/finding.ts";
import type { Examination } from "./examination.ts";

/** What a running master says of its cluster. */
interface Status {
  name: string;
  masters: string[];
  usable: boolean;
  reason?: string;
  on_duty: boolean;
  storage: { place: string; usable: boolean };
  bus: { place: string; connected: boolean; foreign: number; replayed: number };
}

export async function examineCluster(client: Pick<LocalClient, "ask">): Promise<Examination> {
  try {
    const { cluster } = await client.ask("cluster_status", {}) as { cluster: Status | null };
    if (cluster !== null) return examined(cluster);
    return {
      well: [],
      findings: [doubtful("the running master is in no cluster", "restart it: cluster is configured")],
    };
  } catch (error) {
    return { well: [], findings: [doubtful(`the master does not say how its cluster stands: ${messageOf(error)}`)] };
  }
}

/** @internal */
export function examined({ name, masters, usable, reason, on_duty, storage, bus }: Status): Examination {
  const well: string[] = [];
  const findings: Finding[] = [];
  const look = (good: boolean, text: string, problem: string, remedy: string) =>
    void (good ? well.push(`cluster: ${text}`) : findings.push(wrong(`cluster: ${problem}`, remedy)));
  look(
    storage.usable,
    `the storage at ${storage.place} can be used`,
    `the storage at ${storage.place} cannot be used`,
    "see that PostgreSQL runs and can be reached from this host: minions keep their returns meanwhile",
  );
  look(
    bus.connected,
    `the bus at ${bus.place} is connected`,
    `the bus at ${bus.place} is not connected`,
    "see that NATS runs and can be reached from this host: nothing is published meanwhile",
  );
  look(
    usable,
    `the lease of ${name} is good${on_duty ? ", and it does what one master does for all" : ""}`,
    `${name} may not decide on jobs: ${reason}`,
    "it takes a new lease by itself once it reaches PostgreSQL",
  );
  const others = masters.filter((one) => one !== name);
  if (others.length > 0) well.push(`cluster: other masters that are there: ${others.join(", ")}`);
  else findings.push(doubtful("cluster: no other master is there", "start it, or look into its log"));
  for (
    const [count, what, remedy] of [
      [
        bus.foreign,
        "are of no master of this cluster",
        "give each cluster on these servers a cluster: name of its own",
      ],
      [bus.replayed, "came before, or too late", "keep the clocks of all masters together (NTP)"],
    ] as const
  ) {
    if (count > 0) findings.push(doubtful(`cluster: ${count} messages were refused: they ${what}`, remedy));
  }
  return { well, findings };
}
