import { BatchError, workOnBatch } from '@lachesis/data/batch';
import { homePaths } from '@lachesis/protocol/home';
import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { readPriceTable } from '@lachesis/server';
import { openWork } from '@lachesis/store';
import { EXIT_CODES } from '../../terminal/exit-codes.ts';
import { fail } from '../../terminal/fail.ts';
import { createBatchAgent } from '../batch/agent.ts';
import { DEFAULT_WORKERS, type FlagReader } from '../batch/flags.ts';
import { createBatchProgress } from '../batch/progress.ts';
import { failWithSentence } from '../../terminal/fail.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { openLocalRedactor } from '../../flags/library/drain-home.ts';
import { openLocalStore, readStorePlace } from '../../flags/library/open-local-store.ts';

/** What `lachesis worker` does. */
export async function runWorkerCommand(read: FlagReader, args: Record<string, unknown>): Promise<void> {
  const name = read.text('batch') ?? fail('say which run: lachesis worker --batch my_run --database-url postgres://…');
  const concurrency = readWholeNumber('num_workers', read.text('num_workers')) ?? DEFAULT_WORKERS;
  const storePlace = readStorePlace(args);
  await using local = await openLocalStore(storePlace);
  const { store, blobs } = local;
  const place = { store, blobs, tenantId: read.text('tenant') ?? LOCAL_TENANT, name };
  const progress = createBatchProgress({ output: process.stderr });
  const prices = await readPriceTable(read.text('prices') ?? homePaths(storePlace.home).prices);
  const { signal: stopping, hurry } = listenForShutdown();
  let ended = 0;
  try {
    await workOnBatch({
      ...{ place, stopping, hurry, concurrency, redactor: openLocalRedactor() },
      createAgent: (parts) =>
        createBatchAgent(parts, { apiKey: read.text('api_key'), prices, onNote: (note) => progress.log(note) }),
      onEvent: (event) => {
        if (event.kind === 'item-ended') ended += 1;
        if (event.kind === 'attempt-failed')
          progress.log(`prompt ${event.index}: attempt ${event.attempt} failed: ${event.reason}`);
      },
    });
  } catch (error) {
    if (BatchError.isInstance(error) && error.kind === 'stop') fail(`${error.message}. What is done is kept.`);
    failWithSentence(error);
  }
  const counts = await openWork(place).count();
  const left = counts.ready + counts.leased;
  process.stdout.write(
    read.isSet('json')
      ? `${JSON.stringify({ ended, counts })}\n`
      : `${ended} prompts ended here; ${left === 0 ? 'nothing is left' : `${left} are left`}\n`,
  );
  if (stopping.aborted && left > 0) process.exitCode = EXIT_CODES.interrupted;
}
