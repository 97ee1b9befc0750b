import { decodeForwardBackwardOutput } from '../codec/decode-forward-backward.ts';
import type { ForwardBackwardOutput } from '../codec/datum.ts';
import { forwardBackwardOutputFromJson } from '../codec/json-forward-backward.ts';
import type { OpenModel, PendingJob } from '../futures/journal.ts';
import { toObject } from '../link/server-link.ts';
import type { ServerLink } from '../link/server-link.ts';
import type { WaitOptions } from '../transport/deadline.ts';

/** A job of a process that died. */
export interface ReattachedJob {
  readonly modelId: string;
  readonly seqId: number;
  readonly requestId: string;
  readonly operation: string;
  /** Waits for the result: outputs of a pass, or the fields of anything else. */
  result(wait?: WaitOptions): Promise<ReattachedResult>;
}

export type ReattachedResult =
  | { kind: 'pass'; output: ForwardBackwardOutput }
  | { kind: 'fields'; fields: Record<string, unknown> };

export interface Reattachment {
  jobs: ReattachedJob[];
  models: OpenModel[];
}

/** Reads the journal. Nothing is asked of the server until a result is wanted. */
export function readReattachment(link: ServerLink, baseUrl: string): Reattachment {
  const { pending, models } = link.journal?.read(baseUrl) ?? { pending: [], models: [] };
  return { models, jobs: pending.map((job) => toJob(link, job)) };
}

function toJob(link: ServerLink, { modelId, seqId, requestId, operation, binary }: PendingJob): ReattachedJob {
  return {
    modelId,
    seqId,
    requestId,
    operation,
    async result(wait = {}) {
      const reply = await link.future({ requestId, operation, binary, deadline: link.deadline(wait) });
      // If we die before this line, the next process asks again and gets the same.
      link.journal?.write({ kind: 'settled', requestId });
      if (!binary) return { kind: 'fields', fields: toObject(reply, operation) };
      const output = reply.isProtobuf
        ? decodeForwardBackwardOutput(reply.bytes)
        : forwardBackwardOutputFromJson(reply.json());
      return { kind: 'pass', output };
    },
  };
}
