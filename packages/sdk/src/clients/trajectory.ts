import type { z } from 'zod';
import {
  type registrationRequestSchema,
  type batchNackSchema,
  type batchAckSchema,
  type BatchSettlement,
  batchSettlementSchema,
  decodeFrames,
  environmentRegistrationReplySchema,
  type EnvironmentStatusReply,
  environmentStatusReplySchema,
  type GroupReceipt,
  groupReceiptSchema,
  type LeasedBatch,
  leaseReplySchema,
  type Ledger,
  ledgerSchema,
  type NativeRegistrationReply,
  PACKED_GROUP_CONTENT_TYPE,
  realClock,
  registrationReplySchema,
  statusReplySchema,
} from '@lachesis/protocol';
import { decodeGroup, type EncodableGroup, encodeGroup, type GroupPayload } from '@lachesis/protocol/codec';
import { readAddresses } from './addresses.ts';
import { ClientError } from './client-error.ts';
import { request, requestBytes, type RequestBase, type SendOptions } from './request.ts';
import { disconnectReplySchema, type RegisteredEnvironment } from './trajectory-replies.ts';

type BatchAck = z.infer<typeof batchAckSchema>;
type BatchNack = z.infer<typeof batchNackSchema>;
type RegistrationRequest = z.infer<typeof registrationRequestSchema>;
type StatusReply = z.infer<typeof statusReplySchema>;

export type TrajectoryClientOptions = RequestBase & {
  /** For how long calls are tried again while the server is away or busy; default one minute. */
  retryForMs?: number | undefined;
};

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Overrides the client's; 0 tries once. */
  retryForMs?: number | undefined;
}

export interface NewEnvironment {
  /** The server makes it unique. */
  name: string;
  groupSize: number;
  maxTokenLength: number;
  /** Its share of the rollouts relative to other environments; default 1. */
  weight?: number | undefined;
  /** Smallest share of each batch, 0 to 1. */
  minBatchAllocation?: number | undefined;
}

export interface RegisterEnvironmentOptions extends CallOptions {
  /** For how long to ask while no trainer has started; default for ever. */
  waitMs?: number | undefined;
  /** Told once, when there is something to wait for. */
  onWaiting?: (() => void) | undefined;
}

export interface LeaseOptions extends CallOptions {
  /** How long the server waits for a batch to form, up to 30; default 20. */
  waitSeconds?: number | undefined;
  /** How long the batch may be held before it must be renewed; what the server is set to when left out, see `lease_seconds` of the batch. */
  leaseSeconds?: number | undefined;
  /** Who asks, for logs and the ledger. */
  consumer?: string | undefined;
}

/** A batch under a lease, as far as its calls need it. */
export type HeldBatch = Pick<LeasedBatch, 'batch_id' | 'epoch'>;

/** A batch whose groups can be fetched: how many there are is enough. */
export type FetchableBatch = HeldBatch & { groups: { readonly length: number } };

/** Speaks to the trajectory API, as an environment, as a trainer, or to look. Every call may be made twice. */
export interface TrajectoryClient {
  register(registration: RegistrationRequest, options?: CallOptions): Promise<NativeRegistrationReply>;
  status(options?: CallOptions): Promise<StatusReply>;
  ledger(options?: CallOptions): Promise<Ledger>;
  /** Sends a group. Waits out back-pressure, then throws an error that is `retryable`: send the same again. */
  pushGroup(group: EncodableGroup, options: CallOptions & { idempotencyKey: string }): Promise<GroupReceipt>;
  /** Waits until a trainer has started, as the server wants it. */
  registerEnvironment(
    environment: NewEnvironment,
    options?: RegisterEnvironmentOptions,
  ): Promise<RegisteredEnvironment>;
  environmentStatus(envId: number, options?: CallOptions): Promise<EnvironmentStatusReply>;
  /** Frees the environment's share of batches. False when the server does not know it. */
  disconnectEnvironment(envId: number, options?: CallOptions): Promise<boolean>;
  /** The next batch, or null when none formed in time. */
  leaseBatch(options?: LeaseOptions): Promise<LeasedBatch | null>;
  /** The groups of a batch, in its order. */
  fetchBatchGroups(batch: FetchableBatch, options?: CallOptions): Promise<GroupPayload[]>;
  renew(batch: HeldBatch, options?: CallOptions & { leaseSeconds?: number | undefined }): Promise<BatchSettlement>;
  /** The batch was trained on. */
  ack(batch: HeldBatch, facts?: Omit<BatchAck, 'epoch'>, options?: CallOptions): Promise<BatchSettlement>;
  /** The batch could not be used. */
  nack(batch: HeldBatch, facts: Omit<BatchNack, 'epoch'>, options?: CallOptions): Promise<BatchSettlement>;
  /** Archives the run and opens its next incarnation. */
  reset(options?: CallOptions): Promise<void>;
}

const DEFAULT_RETRY_MS = 60_000;
const DEFAULT_WAIT_SECONDS = 20;
/** The server answers at the end of its wait; the reply needs time of its own. */
const LEASE_REPLY_MS = 15_000;
/** A batch can be hundreds of megabytes. */
const FETCH_TIMEOUT_MS = 300_000;
const ASK_AGAIN_MS = 500;

/** A client of one run of a trajectory API; calls that may be made twice are tried again while the server is away. */
export function createTrajectoryClient(options: TrajectoryClientOptions): TrajectoryClient {
  const { retryForMs: defaultRetryMs = DEFAULT_RETRY_MS, ...base } = options;
  const { clock = realClock } = base;
  const addresses = readAddresses(base.url);

  const plan = (
    method: SendOptions['method'],
    path: string,
    { signal, retryForMs = defaultRetryMs }: CallOptions = {},
    rest: Partial<SendOptions> = {},
  ): SendOptions => ({ ...base, addresses, method, path, signal, retryForMs, ...rest });

  const settle = (
    batch: HeldBatch,
    verb: 'renew' | 'ack' | 'nack',
    facts: object,
    callOptions: CallOptions | undefined,
  ): Promise<BatchSettlement> =>
    request({
      ...plan('POST', `/v1/batches/${batch.batch_id}/${verb}`, callOptions, { body: { epoch: batch.epoch, ...facts } }),
      parse: batchSettlementSchema.parse,
    });

  async function registerEnvironment(
    { name, groupSize, maxTokenLength, weight = 1, minBatchAllocation }: NewEnvironment,
    { waitMs = Number.POSITIVE_INFINITY, onWaiting, ...callOptions }: RegisterEnvironmentOptions = {},
  ): Promise<RegisteredEnvironment> {
    const body = {
      desired_name: name,
      group_size: groupSize,
      max_token_length: maxTokenLength,
      weight,
      min_batch_allocation: minBatchAllocation ?? null,
    };
    const until = clock.now() + waitMs;
    for (let isFirst = true; ; isFirst = false) {
      const reply = await request({
        ...plan('POST', '/register-env', callOptions, { body }),
        parse: environmentRegistrationReplySchema.parse,
      });
      if (reply.status === 'success') {
        const { status: _status, ...registered } = reply;
        return registered;
      }
      if (isFirst) onWaiting?.();
      if (clock.now() + ASK_AGAIN_MS > until) {
        throw new ClientError({
          code: 'unavailable',
          call: `the registration of environment ${JSON.stringify(name)}`,
          reason: `no trainer has asked for a batch within ${waitMs} ms`,
          retryable: true,
          hint: 'Start the trainer of this run: `lachesis serve trainer`.',
        });
      }
      await clock.sleep(ASK_AGAIN_MS, callOptions.signal);
      callOptions.signal?.throwIfAborted();
    }
  }

  async function environmentStatus(envId: number, callOptions?: CallOptions): Promise<EnvironmentStatusReply> {
    try {
      return await request({
        ...plan('GET', `/status-env?env_id=${envId}`, callOptions),
        parse: environmentStatusReplySchema.parse,
      });
    } catch (error) {
      if (!ClientError.isInstance(error) || error.status !== 422) throw error;
      // The original takes the number as the body of a GET, which fetch cannot send. What all environments see is an
      // answer too: it paces one environment exactly, and several together.
      const { current_step, queue_size } = await client.status(callOptions);
      return {
        current_step,
        queue_size,
        self_queue_size: queue_size,
        unallocated_fraction: 1,
        max_group_size: 1,
        env_weight: 1,
      };
    }
  }

  async function fetchBatchGroups(batch: FetchableBatch, callOptions?: CallOptions): Promise<GroupPayload[]> {
    const path = `/v1/batches/${batch.batch_id}/groups?epoch=${batch.epoch}`;
    const call = plan('GET', path, callOptions, { timeoutMs: FETCH_TIMEOUT_MS });
    const frames = decodeFrames(await requestBytes(call));
    if (frames.length !== batch.groups.length) {
      throw new ClientError({
        code: 'unreadable-reply',
        call: `GET ${path}`,
        reason: `${frames.length} groups came for a batch of ${batch.groups.length}`,
        retryable: true,
      });
    }
    return frames.map((frame) => decodeGroup(frame));
  }

  const client: TrajectoryClient = {
    register: (registration, callOptions) =>
      request({
        ...plan('PUT', '/v1/registration', callOptions, { body: registration }),
        parse: registrationReplySchema.parse,
      }),
    status: (callOptions) => request({ ...plan('GET', '/status', callOptions), parse: statusReplySchema.parse }),
    ledger: (callOptions) => request({ ...plan('GET', '/v1/ledger', callOptions), parse: ledgerSchema.parse }),
    pushGroup: async (group, { idempotencyKey, ...callOptions }) =>
      request({
        ...plan('POST', '/v1/groups', callOptions, {
          body: encodeGroup(group),
          headers: { 'content-type': PACKED_GROUP_CONTENT_TYPE, 'idempotency-key': idempotencyKey },
        }),
        parse: groupReceiptSchema.parse,
      }),
    registerEnvironment,
    environmentStatus,
    disconnectEnvironment: async (envId, callOptions) => {
      const call = plan('POST', '/disconnect-env', callOptions, { body: { env_id: envId } });
      return (await request({ ...call, parse: disconnectReplySchema.parse })).status === 'success';
    },
    leaseBatch: async ({ waitSeconds = DEFAULT_WAIT_SECONDS, leaseSeconds, consumer = '', ...callOptions } = {}) => {
      const call = plan('POST', '/v1/batches', callOptions, {
        body: {
          ...{ wait_seconds: waitSeconds, consumer },
          ...(leaseSeconds === undefined ? {} : { lease_seconds: leaseSeconds }),
        },
        timeoutMs: waitSeconds * 1000 + LEASE_REPLY_MS,
      });
      return (await request({ ...call, parse: leaseReplySchema.parse })).batch;
    },
    fetchBatchGroups,
    renew: (batch, { leaseSeconds, ...callOptions } = {}) =>
      settle(batch, 'renew', leaseSeconds === undefined ? {} : { lease_seconds: leaseSeconds }, callOptions),
    ack: (batch, facts = {}, callOptions) => settle(batch, 'ack', facts, callOptions),
    nack: (batch, facts, callOptions) => settle(batch, 'nack', facts, callOptions),
    reset: async (callOptions) => {
      await requestBytes(plan('GET', '/reset_data', callOptions));
    },
  };
  return client;
}
