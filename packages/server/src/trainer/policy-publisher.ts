import { toLachesisError, type ActivePolicy, type PolicyPublication, type PolicyState } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';
import type { PolicyPublisher } from '../services/training/rl/publisher.ts';

/** The gateway in the process of the trainer, as far as the trainer knows it. */
export interface HostedInference {
  publish(publication: PolicyPublication): Promise<ActivePolicy>;
  readPolicy(): PolicyState;
}

/** The publish route of a station in the same process, without the way through a socket. It refuses as the route does. */
export function toPolicyPublisher(station: HostedInference): PolicyPublisher {
  return {
    async publishPolicy(publication) {
      try {
        return await station.publish(publication);
      } catch (error) {
        const { code, message, status, isRetryable, hint } = toLachesisError(error);
        throw new ClientError({
          code,
          call: 'POST /v1/policy',
          reason: error instanceof Error ? error.message : message,
          status,
          retryable: isRetryable,
          hint,
          cause: error,
        });
      }
    },
    readPolicy: async () => station.readPolicy(),
  };
}
