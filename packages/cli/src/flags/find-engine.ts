import { findEngine } from '@lachesis/tinker/engine';
import { fail } from '../terminal/fail.ts';

/** The Tinker server a run uses: the recipe's, that of the variables, or a local engine that runs. */
export async function findEngineUrl(
  { tinker }: { tinker: { base_url?: string | null | undefined } },
  options: { home: string; given?: string | undefined },
): Promise<string | undefined> {
  const { home, given = process.env['TINKER_BASE_URL'] } = options;
  const apiKey = process.env['TINKER_API_KEY'];
  const named = tinker.base_url ?? given;
  if (named !== undefined && named !== '') return named;
  const local = await findEngine({ home });
  if (local?.state === 'ready') return local.url;
  // With a key and no address the managed service is meant.
  if (apiKey !== undefined && apiKey !== '') return undefined;
  const starting = local === undefined ? '' : ` (one is here and is ${local.state})`;
  return fail(
    `there is no engine to train on${starting}. Three ways: \`lachesis engine up\` starts a small one on this machine; ` +
      'TINKER_BASE_URL=http://… names a Tinker server; TINKER_API_KEY=… uses the managed service.',
  );
}
