import { type Clock, realClock } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';
import type { AgentModel, ModelReply } from '@lachesis/sdk/agent';
import { BatchError } from '../batch-error.ts';
import type { CostMeter } from '../cost-meter.ts';
import type { RequestGate } from '../request-gate.ts';
import { createOutage } from './create-outage.ts';

/** For how long a server that fails is asked again within one attempt, while it answers others. */
const RETRY_FOR_MS = 60_000;
/** A limit of requests is no failure: it passes, and waiting is what was asked for. */
const LIMITED_FOR_MS = 30 * 60_000;
const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 30_000;
/** Who breaks the connection so often, while others are answered, is to blame. */
const MOST_BREAKS = 4;
/** What stands before a server says so when the server is not there. A 500 is about the question. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);

export interface AskPatientlyOptions {
  ask: AgentModel;
  gate: RequestGate;
  meter: CostMeter;
  /** Aborted when nothing should be asked any more; what was asked is waited for. */
  stopping: AbortSignal;
  /** Told once when the server answers nobody any more. */
  onOutage?: (reason: string) => void;
  clock?: Clock;
  random?: () => number;
}

/**
 * Makes a model wait its turn at the gate of a batch and ask again when the server is busy. A 429 holds everybody, for
 * as long as the server says, and so does a server that is away; other failures are tried again alone.
 */
export function askWithRetry(options: AskPatientlyOptions): AgentModel {
  const { ask, gate, meter, stopping, onOutage, clock = realClock, random = Math.random } = options;
  const outage = createOutage({ gate, clock, onOutage });
  return async (question): Promise<ModelReply> => {
    const { signal } = question;
    const waiting = AbortSignal.any([signal, stopping]);
    const begun = clock.now();
    let breaks = 0;
    let ended = outage.ended();
    for (let tries = 0; ; tries += 1) {
      await gate.enter(waiting);
      signal.throwIfAborted();
      if (stopping.aborted) throw new BatchError({ kind: 'released', what: 'The work was ended between two calls' });
      meter.check();
      try {
        const reply = await ask(question);
        outage.end();
        return reply;
      } catch (error) {
        signal.throwIfAborted();
        if (!ClientError.isInstance(error)) throw error;
        if (error.status !== undefined && error.status < 500) outage.end();
        refuseForAll(error);
        if (!error.retryable) throw error;
        if (error.code === 'connection') {
          if (outage.ended() !== ended) breaks += 1;
          ended = outage.ended();
          if (breaks > MOST_BREAKS) throw error;
          await outage.wait(error);
          continue;
        }
        const isLimited = error.status === 429;
        const isAway = error.status !== undefined && AWAY.has(error.status);
        if (isAway) outage.begin();
        const rest = error.retryAfterMs ?? Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** tries) * (1 + random() / 4);
        if (clock.now() + rest - begun > (isLimited ? LIMITED_FOR_MS : RETRY_FOR_MS)) {
          // Nobody was answered meanwhile either: not this prompt is to blame.
          if (!isAway || outage.lastsMs() < RETRY_FOR_MS / 2) throw error;
          await outage.wait(error);
        } else if (isLimited || error.retryAfterMs !== undefined) await gate.pause(rest);
        else await clock.sleep(rest, waiting);
        signal.throwIfAborted();
      }
    }
  };
}

/** What every other item would be told too. */
function refuseForAll(error: ClientError): void {
  const hints: Readonly<Record<number, string>> = {
    401: 'Give a key that it takes: --api_key, or the variable of the provider',
    402: 'Pay the provider, then go on with --resume',
    403: 'Give a key that may use this model',
    404: 'Correct --base_url or --model',
  };
  const hint = error.status === undefined ? undefined : hints[error.status];
  if (hint !== undefined) throw new BatchError({ kind: 'stop', what: error.message, hint, cause: error });
}
