import { PACKED_GROUP_CONTENT_TYPE } from '@lachesis/protocol';

import { HttpClient } from '../load/http-client.ts';
import type { HttpReply } from '../load/http-client.ts';

/** A lease on a batch, as far as a trainer needs it here. */
export interface LeasedBatch {
  readonly batch_id: string;
  readonly epoch: number;
  readonly groups: readonly unknown[];
}

/** The parts of the ledger that say whether a trainer could be served. */
export interface Ledger {
  readonly pending: number;
  readonly formed: number;
  readonly balanced: boolean;
}

/** The native API as producers and a trainer use it. */
export class NativeClient {
  readonly #http: HttpClient;

  constructor(url: string) {
    this.#http = new HttpClient(url);
  }

  async register(batchSize: number): Promise<void> {
    const reply = await this.#http.callJson({
      method: 'PUT',
      path: '/v1/registration',
      json: { batch_size: batchSize },
    });
    requireOk('PUT /v1/registration', reply);
  }

  /** The reply as it is: 429 is an ordinary answer to a push. */
  push(options: { body: Uint8Array; key: string }): Promise<HttpReply> {
    const headers = { 'content-type': PACKED_GROUP_CONTENT_TYPE, 'idempotency-key': options.key };
    return this.#http.call({ method: 'POST', path: '/v1/groups', body: options.body, headers });
  }

  async lease(options: { waitSeconds: number; leaseSeconds: number }): Promise<LeasedBatch | null> {
    const reply = await this.#http.callJson({
      method: 'POST',
      path: '/v1/batches',
      json: { wait_seconds: options.waitSeconds, lease_seconds: options.leaseSeconds },
    });
    requireOk('POST /v1/batches', reply);
    return (reply.json as { batch: LeasedBatch | null }).batch;
  }

  async fetchGroups({ batch_id, epoch }: LeasedBatch): Promise<HttpReply> {
    const reply = await this.#http.call({ method: 'GET', path: `/v1/batches/${batch_id}/groups?epoch=${epoch}` });
    return requireOk('GET /v1/batches/{id}/groups', reply);
  }

  async acknowledge({ batch_id, epoch }: LeasedBatch): Promise<void> {
    const reply = await this.#http.callJson({ method: 'POST', path: `/v1/batches/${batch_id}/ack`, json: { epoch } });
    requireOk('POST /v1/batches/{id}/ack', reply);
  }

  async readLedger(): Promise<Ledger> {
    const reply = await this.#http.callJson({ method: 'GET', path: '/v1/ledger' });
    requireOk('GET /v1/ledger', reply);
    return reply.json as Ledger;
  }

  close(): void {
    this.#http.close();
  }
}

function requireOk(what: string, reply: HttpReply): HttpReply {
  if (reply.status < 200 || reply.status > 299) {
    throw new Error(`${what} answered ${reply.status} ${reply.body.toString('utf8', 0, 300)}`);
  }
  return reply;
}
