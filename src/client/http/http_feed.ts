/** The events of a salt-api for one reader. */
import { fnmatch } from "../../model/event/tag.ts";
import { checkEventsOptions, eventFeed } from "../bus_feed.ts";
import type { EventFeed, EventsOptions, SaltEvent } from "../salt.ts";
import type { HttpLink } from "./http_link.ts";

/** The events of the master's bus, on a separate connection. */
export function httpFeed(link: Pick<HttpLink, "stream">, options: EventsOptions = {}): EventFeed {
  checkEventsOptions(options);
  const { tag, after, onMissed = () => {}, signal } = options;
  const wants = tag === undefined ? () => true : fnmatch(tag);
  const stop = new AbortController();
  const left = new DOMException("The loop was left", "AbortError");
  const opened = Promise.withResolvers<void>();
  opened.promise.catch(() => {});
  const stream = () =>
    link.stream({
      signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]),
      ...(tag === undefined ? {} : { tag }),
      ...(after === undefined ? {} : { after }),
      onOpen: () => opened.resolve(),
      onMissed,
    });
  async function* events(): AsyncGenerator<SaltEvent, void, void> {
    try {
      for await (const { event } of stream()) if (wants(event.tag)) yield event;
    } catch (error) {
      opened.reject(error);
      if (error !== left) throw error;
    }
  }
  return heldFeed(events(), opened.promise, () => stop.abort(left));
}

/** A feed that listens from {@link EventFeed.ready} on: `ready` requests the first event before the caller does. */
function heldFeed(
  events: AsyncGenerator<SaltEvent, void, void>,
  opened: Promise<void>,
  stop: () => void,
): EventFeed {
  let asked = false;
  let held: Promise<IteratorResult<SaltEvent, void>> | undefined;
  const ready = async () => {
    if (!asked) held = events.next();
    asked = true;
    held?.catch(() => {});
    await opened;
  };
  const feed = eventFeed(events, { ready, stop });
  feed.next = () => {
    const first = held;
    held = undefined;
    asked = true;
    return first ?? events.next();
  };
  return feed;
}
