import { TinkerConflictError, TinkerValidationError } from '../errors/server-errors.ts';
import { readText, toObject } from '../link/server-link.ts';
import type { ServerLink } from '../link/server-link.ts';
import type { WaitOptions } from '../transport/deadline.ts';
import type { Operation } from './operation-queue.ts';

export interface SaveOptions extends WaitOptions {
  /** When the server may delete it. */
  ttlSeconds?: number | undefined;
  /** Replace a checkpoint of the same name. */
  overwrite?: boolean | undefined;
  userMetadata?: Readonly<Record<string, string>> | undefined;
}

export type SaveTarget =
  | { target: 'external_weights' | 'sampler_weights' | 'weights'; name: string }
  /** Weights of this moment as a sampling session, without a name. */
  | { target: 'session'; nextSamplerSeqId: () => number };

export interface Saved {
  path?: string;
  samplingSessionId?: string;
}

const SAVE_CALLS = Object.freeze({
  weights: 'save_weights',
  sampler_weights: 'save_weights_for_sampler',
  session: 'save_weights_for_sampler',
  external_weights: 'save_weights_external',
});

/** What every known server takes as a name. */
const NAME = /^[A-Za-z0-9_-]{1,200}$/;

export function saveOperation(options: {
  link: ServerLink;
  modelId: string;
  target: SaveTarget;
  options: SaveOptions;
}): Operation<Saved> {
  const { link, modelId, target, options: save } = options;
  const path = SAVE_CALLS[target.target];
  const name = target.target === 'session' ? undefined : target.name;
  const knownPath = name === undefined ? undefined : `tinker://${modelId}/${target.target}/${name}`;
  const body = {
    model_id: modelId,
    path: name,
    ttl_seconds: save.ttlSeconds,
    user_metadata: save.userMetadata,
    ...(target.target === 'weights' && save.overwrite === true ? { overwrite: true } : {}),
  };
  return {
    name: path,
    binary: false,
    before: () => {
      if (name !== undefined && !NAME.test(name)) {
        const fields = [{ field: 'name', reason: 'may hold letters, digits, _ and - only, 200 at most' }];
        throw new TinkerValidationError({ operation: path, fields });
      }
    },
    parts: [
      {
        post: async ({ seqId, deadline, onAmbiguous }) => {
          let wasAmbiguous = false;
          const sampler = target.target === 'session' ? { sampling_session_seq_id: target.nextSamplerSeqId() } : {};
          try {
            const reply = await link.post(
              path,
              { ...body, ...sampler, seq_id: seqId },
              {
                deadline,
                required: ['model_id', 'seq_id', 'path', 'sampling_session_seq_id'],
                onAmbiguous: () => {
                  wasAmbiguous = true;
                  onAmbiguous();
                },
              },
            );
            return { requestId: readText(reply, 'request_id', path) };
          } catch (error) {
            // The first attempt arrived and its reply was lost: the name is taken by ourselves.
            const isOurs = wasAmbiguous && TinkerConflictError.isInstance(error) && error.conflict === 'exists';
            if (!isOurs || knownPath === undefined) throw error;
            const { operation, requestId, status } = error;
            throw new TinkerConflictError({
              operation,
              requestId,
              status,
              conflict: 'exists',
              tookEffect: true,
              cause: error,
            });
          }
        },
      },
    ],
    read: ([reply]) => {
      const value = toObject(reply!, path);
      return {
        ...(typeof value['path'] === 'string' ? { path: value['path'] } : {}),
        ...(typeof value['sampling_session_id'] === 'string'
          ? { samplingSessionId: value['sampling_session_id'] }
          : {}),
      };
    },
    ...(knownPath === undefined ? {} : { recover: () => ({ path: knownPath }) }),
  };
}
