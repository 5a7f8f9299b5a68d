import { messageOf } from "../../../../base/errors.ts";
import type { WebSocketHandlers } from "../../../../runtime/http.ts";
import { checkUpgrade, sendEvents } from "../../events/event_socket.ts";
import { type EventListenerRights, listenerOf } from "../../events/listener.ts";
import { Summaries } from "../../events/summaries.ts";
import type { Call } from "../../requests/call.ts";
import type { Answer } from "../../requests/route.ts";
import { HttpError } from "../../wire/errors.ts";
import { jsonAnswer } from "../../wire/json.ts";

/** The message that a client must send before it gets events. */
const READY = "websocket client ready";

/** `GET /all_events/<token>`. */
export async function eventSocket(call: Call): Promise<Answer> {
  const listener = await openListener(call);
  return call.peer.upgrade(sendEvents(call, listener, { ready: READY, message: (event) => event.text }));
}

/**
 * `GET /formatted_events/<token>`: summaries of jobs and minions. The first summary is sent after all minions have returned their
 * grains: before that it would lack most minions.
 */
export async function summarySocket(call: Call): Promise<Answer> {
  const listener = await openListener(call);
  const summaries = new Summaries();
  const grains = { known: false };
  const handlers = sendEvents(call, listener, {
    ready: READY,
    message(event) {
      const change = summaries.take(event);
      if (change === undefined || !grains.known) return undefined;
      const sent = change.minions === undefined ? change : { minions: Object.fromEntries(change.minions) };
      return `${jsonAnswer(sent)}\n\n`;
    },
  });
  return call.peer.upgrade(askingForGrains(call, listener, handlers, summaries, grains));
}

async function openListener(call: Call): Promise<EventListenerRights> {
  const { backend, params: { token = "" } } = call;
  const record = await backend.token(token);
  if (record === undefined) throw new HttpError(401, "The token is not known");
  checkUpgrade(call, 'Can "Upgrade" only to "WebSocket".');
  call.user = record.name;
  return await listenerOf(call, { record }, record);
}

/** Wraps handlers, so that all minions are asked for their grains once the client is ready. */
function askingForGrains(
  call: Call,
  { record: { name, token } }: EventListenerRights,
  handlers: WebSocketHandlers,
  summaries: Summaries,
  grains: { known: boolean },
): WebSocketHandlers {
  const closed = new AbortController();
  let asked = false;
  return {
    ...handlers,
    onMessage(text, socket) {
      handlers.onMessage?.(text, socket);
      if (text !== READY || asked) return;
      asked = true;
      gatherGrains(call, token, summaries, closed.signal).catch((error) => {
        if (closed.signal.aborted) return;
        call.services.log.info("a listener may not ask minions for their grains", {
          user: name,
          error: messageOf(error),
        });
      }).finally(() => grains.known = true);
    },
    onClose() {
      closed.abort();
      handlers.onClose?.();
    },
  };
}

/** Asks all minions for their grains and waits; the summaries get the returns from the event bus. */
async function gatherGrains(call: Call, token: string, summaries: Summaries, signal: AbortSignal): Promise<void> {
  const { backend, services: { settings: { timeoutMs, gatherMs } } } = call;
  const jids = new Set<string>();
  const request = { tgt: "*", fun: "grains.items", credentials: { token } };
  for await (const { jid } of backend.run(request, { timeoutMs, gatherMs, signal })) jids.add(jid);
  for (const jid of jids) summaries.forget(jid);
}
