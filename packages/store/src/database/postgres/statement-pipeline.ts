import type { Connection, Submittable } from 'pg';

export interface PipelineStatement {
  sql: string;
  values: readonly (string | Buffer | null)[];
}

export interface PipelineResult {
  /** The first column of the last row that came, as text. */
  lastValue: string | null;
}

/** The parts of pg's connection that write the extended protocol; the published types name only some of them. */
interface ProtocolWriter {
  stream: { cork(): void; uncork(): void };
  parse(query: { text: string }): void;
  bind(config: { values: readonly (string | Buffer | null)[] }): void;
  execute(config: { portal: string; rows: number }): void;
  sync(): void;
}

/**
 * Many statements in one round trip with a single Sync at the end: after a failure the server skips the rest, so no
 * statement can run outside the transaction that a failed BEGIN did not open. It talks to pg the way pg-cursor does.
 */
export class StatementPipeline implements Submittable {
  /** pg may wrap it for its own timeout. */
  callback: (error: Error | null, result?: PipelineResult) => void;
  readonly #statements: readonly PipelineStatement[];
  readonly #rowCounts: number[];
  #lastValue: string | null = null;

  /** `rowCounts` gets the rows changed or read, by the server's count: one entry for each statement that ran. */
  constructor(
    statements: readonly PipelineStatement[],
    rowCounts: number[],
    callback: (error: Error | null, result?: PipelineResult) => void,
  ) {
    this.#statements = statements;
    this.#rowCounts = rowCounts;
    this.callback = callback;
  }

  submit(connection: Connection): void {
    const writer = connection as unknown as ProtocolWriter;
    writer.stream.cork();
    try {
      for (const { sql, values } of this.#statements) {
        writer.parse({ text: sql });
        writer.bind({ values });
        writer.execute({ portal: '', rows: 0 });
      }
      writer.sync();
    } finally {
      writer.stream.uncork();
    }
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    this.#lastValue = message.fields[0] ?? null;
  }

  handleCommandComplete(message: { text: string }): void {
    // "INSERT 0 3", "UPDATE 1", "BEGIN": the count, where there is one, comes last.
    const count = /(\d+)$/.exec(message.text)?.[1];
    this.#rowCounts.push(count === undefined ? 0 : Number(count));
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null, { lastValue: this.#lastValue });
  }

  handleEmptyQuery(): void {
    this.#rowCounts.push(0);
  }

  handleRowDescription(): void {
    // No Describe is sent, so none comes; values stay text.
  }

  handlePortalSuspended(): void {
    // Every Execute asks for all rows.
  }

  handleCopyInResponse(connection: { sendCopyFail(message: string): void }): void {
    connection.sendCopyFail('COPY is not a statement the store sends');
  }

  handleCopyData(): void {
    // Refused above.
  }
}
