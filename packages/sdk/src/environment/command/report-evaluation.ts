import { ClientError } from '../../clients/client-error.ts';
import { requestBytes } from '../../clients/request.ts';

/** Servers without a trainer say so this way; there is nobody to tell then. */
const NO_TRAINER = new Set([404, 405, 501]);

/** Tells the trainer how a step did, so that it keeps the best checkpoint. Gives a sentence when it could not be told. */
export async function reportEvaluation({
  url,
  token,
  step,
  score,
  fetch: send,
  signal,
}: {
  url: string | undefined;
  token: string | undefined;
  step: number;
  score: number | undefined;
  fetch: typeof fetch;
  signal: AbortSignal;
}): Promise<string | undefined> {
  if (url === undefined || score === undefined) return undefined;
  try {
    await requestBytes({
      url,
      token,
      method: 'POST',
      path: '/v1/trainer/evaluations',
      body: { step, score },
      fetch: send,
      signal,
    });
    return undefined;
  } catch (error) {
    if (!ClientError.isInstance(error)) throw error;
    if (NO_TRAINER.has(error.status ?? 0)) return undefined;
    return `the trainer was not told of the evaluation at step ${step}: ${error.message}`;
  }
}
