import type { Call } from "../requests/call.ts";
import type { Answer } from "../requests/route.ts";
import { authenticateListener } from "./listener.ts";

/** The differences between the event streams of flavours. */
interface EventStreamStyle {
  contentType: string;
  /** True if `?token=` authenticates. */
  tokenInQuery: boolean;
}

/** `GET /events`: the master's events as server-sent events. */
export async function eventStreamAnswer(call: Call, { contentType, tokenInQuery }: EventStreamStyle): Promise<Answer> {
  const { services: { hub }, query, request, peer } = call;
  const presented = tokenInQuery ? query.get("token") ?? query.get("salt_token") ?? undefined : undefined;
  const { identity, record, sight } = await authenticateListener(call, presented);
  call.user = record.name;
  const headers = {
    ...call.headers,
    "Content-Type": contentType,
    "Cache-Control": "no-cache",
    Connection: "keep-alive",
  };
  if (request.method === "HEAD") return new Response(null, { headers });
  const after = request.headers.get("Last-Event-ID") ?? query.get("last_event_id") ?? undefined;
  const tag = query.get("tag") ?? undefined;
  const { endListeners } = identity;
  const { body, end } = hub.stream({
    owner: record,
    sight,
    ids: after !== undefined || query.has("ids"),
    ...(tag === undefined ? {} : { tag }),
    ...(after === undefined ? {} : { after }),
    onStop: () => endListeners?.delete(end),
  });
  endListeners?.add(end);
  peer.keepOpen();
  return new Response(body, { headers });
}
