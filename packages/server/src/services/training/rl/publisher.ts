import type { ActivePolicy, PolicyPublication, PolicyState } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';
import type { Clock } from '@lachesis/protocol';
import type { Logger } from 'pino';

/** The part of an inference client that the trainer needs. */
export interface PolicyPublisher {
  publishPolicy(publication: PolicyPublication, options?: { signal?: AbortSignal | undefined }): Promise<ActivePolicy>;
  readPolicy(options?: { signal?: AbortSignal | undefined }): Promise<PolicyState>;
}

export interface Publisher {
  /** Resolves once the new weights answer. */
  publish(policy: PolicyPublication, signal: AbortSignal): Promise<void>;
  /** The version inference serves, or undefined when it serves none or does not answer. */
  activeVersion(signal: AbortSignal): Promise<number | undefined>;
}

const PAUSE_MS = 2_000;
/** After this long without inference a run has stopped learning from what it does, and somebody should know. */
const GIVE_UP_MS = 15 * 60_000;

/** Publishes with patience: a restarted inference station is waited for. */
export function createPublisher(options: { policies: PolicyPublisher; clock: Clock; log: Logger }): Publisher {
  const { policies, clock, log } = options;
  return {
    async publish(policy, signal) {
      const until = clock.now() + GIVE_UP_MS;
      let publication = policy;
      for (let attempt = 1; ; attempt += 1) {
        try {
          await policies.publishPolicy(publication, { signal });
          return;
        } catch (error) {
          signal.throwIfAborted();
          if (!ClientError.isInstance(error)) throw error;
          if (error.status === 409 && publication.force !== true) {
            // It serves something newer than we know of, such as that of a run before this one: ours is the word.
            log.warn(
              { err: error, version: policy.policy_version },
              'inference holds a newer policy; ours replaces it',
            );
            publication = { ...policy, force: true };
            continue;
          }
          if (!error.retryable || clock.now() > until) throw error;
          if (attempt === 1) log.warn({ err: error }, 'inference does not take the new weights yet; trying again');
          await clock.sleep(PAUSE_MS, signal);
        }
      }
    },
    async activeVersion(signal) {
      try {
        return (await policies.readPolicy({ signal })).active?.policy_version;
      } catch (error) {
        signal.throwIfAborted();
        if (!ClientError.isInstance(error)) throw error;
        log.debug({ err: error }, 'inference does not say which policy it serves');
        return undefined;
      }
    },
  };
}
