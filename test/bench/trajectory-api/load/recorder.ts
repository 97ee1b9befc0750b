import type { HttpReply } from './http-client.ts';

/** A reply of `/batch`, kept as it came: it is inflated after the window, because a real trainer does that elsewhere. */
export interface KeptBatch {
  readonly body: Buffer;
  readonly encoding: string | undefined;
  readonly atMs: number;
}

/** Everything the workers of one run write down. After `close`, late replies change nothing. */
export class Recorder {
  readonly latencies = {
    post: [] as number[],
    batch: [] as number[],
    emptyBatch: [] as number[],
    statusEnv: [] as number[],
  };
  readonly batches: KeptBatch[] = [];
  acked = 0;
  failureCount = 0;
  firstFailure: string | undefined;
  #closed = false;

  addPost(reply: HttpReply): void {
    if (this.#closed) return;
    if (reply.status !== 200) return this.addFailure(`POST /scored_data answered ${describe(reply)}`);
    this.acked += 1;
    this.latencies.post.push(reply.milliseconds);
  }

  addStatus(reply: HttpReply): void {
    if (this.#closed) return;
    if (reply.status !== 200) return this.addFailure(`GET /status-env answered ${describe(reply)}`);
    this.latencies.statusEnv.push(reply.milliseconds);
  }

  /** True when the reply held a batch. */
  addBatch(reply: HttpReply): boolean {
    if (this.#closed) return false;
    if (reply.status !== 200) {
      this.addFailure(`GET /batch answered ${describe(reply)}`);
      return false;
    }
    if (isEmptyBatch(reply)) {
      this.latencies.emptyBatch.push(reply.milliseconds);
      return false;
    }
    this.latencies.batch.push(reply.milliseconds);
    this.batches.push({ body: reply.body, encoding: reply.encoding, atMs: performance.now() });
    return true;
  }

  addFailure(reason: string): void {
    if (this.#closed) return;
    this.failureCount += 1;
    this.firstFailure ??= reason;
  }

  close(): void {
    this.#closed = true;
  }
}

/** `{"batch":null}` is the only short reply; a batch of one tiny group is already longer. */
function isEmptyBatch(reply: HttpReply): boolean {
  return reply.body.length < 64;
}

function describe(reply: HttpReply): string {
  return `${reply.status} ${reply.body.toString('utf8', 0, 200)}`;
}
