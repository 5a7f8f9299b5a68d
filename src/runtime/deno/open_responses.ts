/**
 * The responses of a server that are not complete. Deno cannot close connections once a server has begun to shut down
 * gracefully (aborting it then throws `BadResource`), so what is left at the end of the grace period is completed from here.
 */
export class OpenResponses {
  readonly #open = new Set<() => void>();

  /** Passes a response on. If it is not available when the grace period is over, the response is 503. */
  async track(response: Response | Promise<Response>): Promise<Response> {
    if (response instanceof Response) return response;
    return await new Promise<Response>((resolve, reject) => {
      const end = () => resolve(new Response(null, { status: 503, headers: { Connection: "close" } }));
      this.#open.add(end);
      response.then(resolve, reject).finally(() => this.#open.delete(end));
    });
  }

  /** A stream that is cut when the grace period is over. It reads no chunk before the client asks for it. */
  cuttable(response: Response): Response {
    const reader = response.body?.getReader();
    if (reader === undefined) return response;
    let end = () => {};
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        end = () => {
          this.#open.delete(end);
          controller.error(new Error("The server was closed"));
          reader.cancel().catch(() => {});
        };
        this.#open.add(end);
      },
      pull: async (controller) => {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        // If the entry is gone, endAll() has closed the stream already.
        if (this.#open.delete(end)) controller.close();
      },
      cancel: async (reason) => {
        this.#open.delete(end);
        await reader.cancel(reason);
      },
    }, { highWaterMark: 0 });
    return new Response(body, response);
  }

  endAll(): void {
    for (const end of [...this.#open]) end();
  }
}
