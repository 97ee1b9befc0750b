import { listOpenRuns } from '@lachesis/store';
import { openLocalStore } from '../../flags/library/open-local-store.ts';

/** The runs that go on without us: their processes are their own. */
export async function findRunsLeft(place: { home: string; databaseUrl: string | undefined }): Promise<string[]> {
  await using local = await openLocalStore(place);
  return (await listOpenRuns({ store: local.store })).map(({ shortId }) => shortId);
}

export function describeRunsLeft(runs: readonly string[], { hasEngine }: { hasEngine: boolean }): string {
  const [first] = runs;
  if (first === undefined) return '';
  const [names, verb] = runs.length === 1 ? [`run ${first}`, 'goes'] : [`runs ${runs.join(', ')}`, 'go'];
  return (
    `${names} ${verb} on without the control server. \`lachesis up\` looks after them again; \`lachesis stop ${first}\` ends one.\n` +
    (hasEngine ? 'The engine stays up for them; `lachesis engine down` ends it.\n' : '')
  );
}
