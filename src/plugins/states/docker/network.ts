import { CommandExecutionError } from "../../../model/loader/family.ts";
import { outcome, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { str } from "../../../language/python/values.ts";
import { commandError, fails } from "../outcome.ts";

type Values = Record<string, unknown>;

export interface DockerNetwork extends Values {
  Name: string;
  Containers: Record<string, Values> | null;
  IPAM: { Config: Values[] | null } & Values;
}

/** @returns undefined if there is none. @throws {CommandExecutionError} if the daemon does not say */
export async function networkNamed(context: StateContext, name: unknown): Promise<DockerNetwork | undefined> {
  try {
    return await context.call("docker.inspect_network", [name]) as DockerNetwork;
  } catch (error) {
    if (commandError(error).includes("404")) return undefined;
    throw error;
  }
}

async function nameOf(context: StateContext, id: string): Promise<string> {
  try {
    const { Name: name } = await context.call("docker.inspect_container", [id]) as Values;
    return str(name ?? "").replace(/^\/+/, "");
  } catch (error) {
    if (error instanceof CommandExecutionError) return id;
    throw error;
  }
}

/** Takes the containers out of a network, and removes it. */
export async function removeNetwork(
  context: StateContext,
  { Name: name, Containers }: DockerNetwork,
): Promise<StateReturn> {
  const changes: Values = {};
  const errors: string[] = [];
  for (const id of Object.keys(Containers ?? {})) {
    const container = await nameOf(context, id);
    try {
      await context.call("docker.disconnect_container_from_network", [id, name]);
      changes.disconnected = [...changes.disconnected as string[] | undefined ?? [], container];
    } catch (error) {
      errors.push(`Failed to disconnect container '${container}' : ${commandError(error)}`);
    }
  }
  if (errors.length > 0) return outcome(name, false, errors.join("\n"), changes);
  await context.call("docker.remove_network", [name]).catch(
    fails("Failed to remove network: ", commandError, { name, changes }),
  );
  return outcome(name, true, `Removed network '${name}'`, { ...changes, removed: true });
}
