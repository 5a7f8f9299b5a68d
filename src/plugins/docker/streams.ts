/** What containers print, as the daemon sends it. */

export interface Printed {
  stdout: string;
  stderr: string;
  /** Both, in the order in which they came. */
  all: string;
}

const HEADER = 8;
/** Bytes of output that are kept. */
const LARGEST = 64 << 20;

/** The pieces of a stream with a head of eight bytes each: which stream, and how long. */
async function* frames(body: AsyncIterable<Uint8Array>): AsyncGenerator<{ stream: number; bytes: Uint8Array }> {
  let head = new Uint8Array(0);
  let missing = 0;
  let stream = 0;
  for await (let chunk of body) {
    while (chunk.length > 0) {
      if (missing > 0) {
        yield { stream, bytes: chunk.subarray(0, missing) };
        const taken = Math.min(missing, chunk.length);
        missing -= taken;
        chunk = chunk.subarray(taken);
        continue;
      }
      const taken = Math.min(HEADER - head.length, chunk.length);
      const longer = new Uint8Array(head.length + taken);
      longer.set(head);
      longer.set(chunk.subarray(0, taken), head.length);
      head = longer;
      chunk = chunk.subarray(taken);
      if (head.length < HEADER) continue;
      stream = head[0]!;
      missing = new DataView(head.buffer).getUint32(4);
      head = new Uint8Array(0);
    }
  }
}

/** Reads what was printed. @param tty the container has a terminal: both streams come as one, without heads */
export async function readPrinted(body: AsyncIterable<Uint8Array>, tty: boolean): Promise<Printed> {
  const decoders = [new TextDecoder(), new TextDecoder(), new TextDecoder()];
  const printed: Printed = { stdout: "", stderr: "", all: "" };
  let length = 0;
  const add = (stream: number, bytes: Uint8Array) => {
    length += bytes.length;
    if (length > LARGEST) throw new Error(`more than ${LARGEST} bytes were printed`);
    const text = (decoders[stream] ?? decoders[1]!).decode(bytes, { stream: true });
    printed[stream === 2 ? "stderr" : "stdout"] += text;
    printed.all += text;
  };
  if (tty) { for await (const chunk of body) add(1, chunk); }
  else for await (const { stream, bytes } of frames(body)) add(stream, bytes);
  return printed;
}
