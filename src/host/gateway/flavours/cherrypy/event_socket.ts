import { authenticateListener } from "../../events/listener.ts";
import { checkUpgrade, sendEvents } from "../../events/event_socket.ts";
import { Summaries } from "../../events/summaries.ts";
import type { Call } from "../../requests/call.ts";
import type { Answer } from "../../requests/route.ts";
import { json } from "../../wire/json.ts";

/** `GET /ws` and `GET /ws/<token>`: events over a WebSocket; with `?format_events` summaries. */
export async function eventSocket(call: Call): Promise<Answer> {
  const listener = await authenticateListener(call, call.params.token);
  checkUpgrade(call, "Expected the upgrade to a WebSocket");
  call.user = listener.record.name;
  const summaries = call.query.has("format_events") ? new Summaries() : undefined;
  return call.peer.upgrade(sendEvents(call, listener, {
    greeting: "server received message",
    message(event) {
      if (summaries === undefined) return `data: ${event.text}\n\n`;
      const change = summaries.take(event);
      if (change === undefined) return undefined;
      // `rest_cherrypy` sends the minions as a list.
      return json(change.minions === undefined ? change : { minions: [...change.minions.values()] });
    },
  }));
}
