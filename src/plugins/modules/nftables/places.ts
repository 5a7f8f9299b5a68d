/** Where a rule stands: what nft is told of chains, handles and policies. */
import { SaltInvocationError } from "../../../model/loader/family.ts";
import { type Args, str, truthy } from "../../../language/python/values.ts";
import { type NftAnswer, no } from "./program.ts";

/** The words that make a chain one of the kernel's hooks; undefined if some of its parts lack. */
export function hookWords({ table_type: type, hook, priority }: Args): string[] | undefined {
  if (!truthy(type) && !truthy(hook) && !truthy(priority)) return [];
  if (!truthy(type) || !truthy(hook)) return undefined;
  const parts = [str(type), str(hook), str(priority)];
  const wrong = parts.find((part) => !/^-?\w+(?: *[+-] *\d+)?$/.test(part));
  if (wrong !== undefined) {
    throw new SaltInvocationError(
      `Cannot make a chain with "${wrong}": expected a word or number for type, hook and priority`,
    );
  }
  return ["{", "type", parts[0]!, "hook", parts[1]!, "priority", `${parts[2]!};`, "}"];
}

/** What a chain lacks that is to be made; undefined if nothing. @throws {SaltInvocationError} for what is no word of nft */
export function chainComplaint(args: Args): NftAnswer | undefined {
  if (!truthy(args.chain)) return no("Chain needs to be specified");
  return hookWords(args) === undefined ? no("Table_type, hook, and priority required.") : undefined;
}

/** A place as nft takes it, a handle. @throws {SaltInvocationError} if it is no number */
export function handleOf(position: unknown): string {
  if (/^\d+$/.test(str(position))) return str(position);
  throw new SaltInvocationError(`Cannot use "${str(position)}" as a position: expected the handle of a rule, a number`);
}

/** @throws {SaltInvocationError} if it is no policy of a chain */
export function policyWord(policy: unknown): string {
  const word = str(policy);
  if (word === "accept" || word === "drop") return word;
  throw new SaltInvocationError(`Cannot set the policy "${word}": expected accept or drop`);
}
