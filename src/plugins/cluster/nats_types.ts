/** The parts of the packages `@nats-io/transport-node` and `@nats-io/jetstream` that are used. */
export interface Nats {
  connect(options: Record<string, unknown>): Promise<NatsConnection>;
}

export interface NatsConnection {
  readonly info?: { max_payload: unknown };
  publish(subject: string, bytes: Uint8Array): void;
  subscribe(
    subject: string,
    options: { callback(error: Error | null, message: { subject: string; data: Uint8Array }): void },
  ): { unsubscribe(): void };
  flush(): Promise<void>;
  status(): AsyncIterable<{ type: string }>;
  close(): Promise<void>;
}

interface StreamInfo {
  /** When it was made: RFC 3339. */
  created: string;
  state: { last_seq: number };
}

export interface StreamManager {
  streams: {
    info(name: string): Promise<StreamInfo>;
    add(config: Record<string, unknown>): Promise<StreamInfo>;
    getMessage(stream: string, query: { seq: number }): Promise<{ data: Uint8Array } | null>;
  };
}

export interface ConsumerMessages extends AsyncIterable<{ seq: number; data: Uint8Array }> {
  status(): AsyncIterable<{ type: string }>;
  close(): Promise<unknown>;
}

export interface JetStreamModule {
  DeliverPolicy: { StartSequence: string };
  jetstreamManager(connection: NatsConnection, options: { timeout: number }): Promise<StreamManager>;
  jetstream(connection: NatsConnection, options: { timeout: number }): {
    publish(
      subject: string,
      bytes: Uint8Array,
      options: { msgID: string; timeout: number },
    ): Promise<{ seq: number; duplicate?: boolean }>;
    consumers: {
      get(stream: string, options: Record<string, unknown>): Promise<{
        consume(options: Record<string, unknown>): Promise<ConsumerMessages>;
      }>;
    };
  };
}
