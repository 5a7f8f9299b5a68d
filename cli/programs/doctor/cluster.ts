/** Checks a master of a cluster: whether it may decide, and whether it can reach what it shares with the other masters. */
import type { LocalClient } from "../../../src/client/local_client.ts";
import { messageOf } from "../../../src/base/errors.ts";
import { doubtful, type Finding, wrong } from "../../daemon/check/finding.ts";
import type { Examination } from "./examination.ts";

/** The state of its cluster that a running master reports. */
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
      findings: [doubtful("the running master is not in a cluster", "restart it: the option cluster is set")],
    };
  } catch (error) {
    return {
      well: [],
      findings: [doubtful(`the master does not report the state of its cluster: ${messageOf(error)}`)],
    };
  }
}

/** @internal */
function examined({ name, masters, usable, reason, on_duty, storage, bus }: Status): Examination {
  const well: string[] = [];
  const findings: Finding[] = [];
  const look = (good: boolean, text: string, problem: string, remedy: string) =>
    void (good ? well.push(`cluster: ${text}`) : findings.push(wrong(`cluster: ${problem}`, remedy)));
  look(
    storage.usable,
    `the storage at ${storage.place} is available`,
    `the storage at ${storage.place} is not available`,
    "check that PostgreSQL is running and can be reached from this host. Minions keep their returns meanwhile",
  );
  look(
    bus.connected,
    `the bus at ${bus.place} is connected`,
    `the bus at ${bus.place} is not connected`,
    "check that NATS is running and can be reached from this host. No job is published meanwhile",
  );
  look(
    usable,
    `the lease of ${name} is valid${on_duty ? ", and it runs the cluster's shared tasks" : ""}`,
    `${name} may not decide on jobs: ${reason}`,
    "it takes a new lease as soon as it reaches PostgreSQL",
  );
  const others = masters.filter((one) => one !== name);
  if (others.length > 0) well.push(`cluster: other running masters: ${others.join(", ")}`);
  else findings.push(doubtful("cluster: no other master is running", "start it, or read its log"));
  for (
    const [count, what, remedy] of [
      [
        bus.foreign,
        "are not from a master of this cluster",
        "give each cluster on these servers a different cluster: name",
      ],
      [bus.replayed, "arrived twice or too late", "synchronize the clocks of all masters (NTP)"],
    ] as const
  ) {
    if (count > 0) findings.push(doubtful(`cluster: ${count} messages were refused: they ${what}`, remedy));
  }
  return { well, findings };
}
