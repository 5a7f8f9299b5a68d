import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunction, stateFunctions } from "../../model/loader/states.ts";
import { type KeywordArgs, truthy } from "../../language/python/values.ts";
import { ownKeywords } from "../keywords.ts";

async function send(context: StateContext, args: KeywordArgs): Promise<StateReturn> {
  const { name, data, preload, with_env, with_grains, with_pillar, show_changed, kwargs } = args;
  const changes = truthy(show_changed) ? { tag: name, data } : {};
  if (context.test) return outcome(name, null, "Event would have been fired", changes);
  const options = { data, preload, with_env, with_grains, with_pillar, ...eventFields(kwargs) };
  const sent = await context.call("event.send", [name], options);
  return outcome(name, sent as boolean, "Event fired", changes);
}

/** What the caller adds to the event, without what the runner says of the state. */
function eventFields({ sfun: _, ...kwargs }: Record<string, unknown>): Record<string, unknown> {
  return ownKeywords(kwargs);
}

const sending = stateFunction({
  signature: `name, data=None, preload=None, with_env=False, with_grains=False, with_pillar=False,
        show_changed=True, **kwargs`,
  doc: "Sends an event with that tag to the master; `show_changed: False` reports no change.",
  run: send,
});

/** Events on the master's bus. */
export const states: StateModule = {
  functions: stateFunctions({
    send: sending,
    fire_master: sending,
    mod_watch: sending,
    "wait(name, sfun=None, data=None)": {
      doc: "Sends an event when a state that this one watches has changed something.",
      run: (_context, { name }) => outcome(name, true, ""),
    },
  }),
};
