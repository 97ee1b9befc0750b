import { readRateMark } from '../load/operation-key.ts';
import type { Passage } from '../proxy/start-storm-proxy.ts';
import type { Execution } from './execution.ts';

export interface ReadTuftRecordOptions {
  /** TuFT itself, not the proxy. */
  readonly url: string;
  readonly apiKey: string;
  readonly passages: readonly Passage[];
}

/** Questions under way at once. */
const LANES = 8;

/**
 * Asks TuFT for the end of every job it ever gave a name to, also of those whose name never arrived at the client. TuFT runs
 * the jobs of a model in the order of their numbers.
 */
export async function readTuftRecord(options: ReadTuftRecordOptions): Promise<Execution[]> {
  const jobs = options.passages.filter(({ requestId }) => requestId !== undefined);
  const found: Execution[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
        const result = await askForJob(options, job);
        if (result === undefined) continue;
        found.push({ key: job.key ?? '', modelId: job.modelId, seqId: job.seqId, ...result });
      }
    }),
  );
  return found.sort((a, b) => (a.seqId ?? 0) - (b.seqId ?? 0));
}

/** Undefined when TuFT did not carry the job out. */
async function askForJob(
  { url, apiKey }: ReadTuftRecordOptions,
  { requestId, path }: Passage,
): Promise<Pick<Execution, 'result'> | undefined> {
  const response = await fetch(`${url}/api/v1/retrieve_future`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ request_id: requestId }),
    signal: AbortSignal.timeout(20_000),
  });
  const body: unknown = await response.json();
  // 409 is its word for a number out of turn; anything else would be a job that failed, and none of ours can.
  if (response.status === 409) return undefined;
  if (!response.ok) throw new Error(`TuFT failed at a ${path}: ${response.status} ${JSON.stringify(body)}`);
  return { result: readResult(path, body as Fields) };
}

type Fields = Readonly<Record<string, unknown>>;

function readResult(path: string, fields: Fields): number[] | undefined {
  switch (path) {
    case 'forward':
    case 'forward_backward': {
      const outputs = fields['loss_fn_outputs'] as readonly { logprobs: { data: number[] } }[];
      return outputs.flatMap(({ logprobs }) => logprobs.data);
    }
    case 'optim_step':
      return readRateMark(fields['metrics'] as Record<string, number>);
    case 'asample':
      return (fields['sequences'] as readonly { tokens: number[] }[]).flatMap(({ tokens }) => tokens);
    default:
      return undefined;
  }
}
