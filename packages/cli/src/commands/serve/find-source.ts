import type { readInferenceSettings } from '@lachesis/server';
import { findEngine } from '@lachesis/tinker/engine';
import { fail } from '../../terminal/fail.ts';

type InferenceSettings = ReturnType<typeof readInferenceSettings>['values'];

const WAYS_OF_SERVER =
  '--engine-url http://… (a Tinker server; `lachesis engine up` starts one here), ' +
  'TINKER_API_KEY (the managed service), --upstream-url http://…/v1 (any OpenAI-compatible server).';

/** The engine to sample from: the one that was named, else the local one that runs, as training finds it. */
export async function findSource(
  { home, engineUrl, upstreamUrl }: Pick<InferenceSettings, 'engineUrl' | 'home' | 'upstreamUrl'>,
  ways: string = WAYS_OF_SERVER,
): Promise<string | undefined> {
  if (engineUrl !== undefined || upstreamUrl !== undefined) return engineUrl;
  const local = await findEngine({ home });
  if (local?.state === 'ready') return local.url;
  if (process.env['TINKER_API_KEY']) return undefined;
  return fail(
    `there is nothing to sample from${local === undefined ? '' : ` (an engine is here and is ${local.state})`}. Give one of: ${ways}`,
  );
}
