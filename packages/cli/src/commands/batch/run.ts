import { redact } from '@lachesis/protocol';
import { type workOnBatch, BatchError, readPrompts, runBatch } from '@lachesis/data/batch';
import { homePaths } from '@lachesis/protocol/home';
import { LOCAL_TENANT } from '@lachesis/protocol/names';
import { openToolsets, readToolsSettings, TOOLSET_DISTRIBUTIONS } from '@lachesis/sdk/agent';
import { readPriceTable } from '@lachesis/server';
import { createLocalLibrary } from '@lachesis/server/services';
import { openWork } from '@lachesis/store';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EXIT_CODES } from '../../terminal/exit-codes.ts';
import { fail } from '../../terminal/fail.ts';
import { createBatchAgent, openToolsetsOf } from './agent.ts';
import { DEFAULT_WORKERS, type FlagReader } from './flags.ts';
import { createBatchProgress } from './progress.ts';
import { readBatchSettings } from './settings.ts';
import { describeOutcome } from './summary.ts';
import { failWithSentence } from '../../terminal/fail.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { openIngestParts, openLocalRedactor } from '../../flags/library/drain-home.ts';
import { openLocalStore, readStorePlace } from '../../flags/library/open-local-store.ts';

type WorkEvent = Parameters<NonNullable<Parameters<typeof workOnBatch>[0]['onEvent']>>[0];

const LOGGED_CHARACTERS = 100;

/** What `lachesis batch` does. */
export async function runBatchCommand(flags: FlagReader, args: Record<string, unknown>): Promise<void> {
  if (flags.isSet('list_distributions'))
    await listDistributions(flags.isSet('json'), flags.text('tools')).catch(failWithSentence);
  else await run(flags, args).catch(failWithSentence);
}

async function run(flags: FlagReader, args: Record<string, unknown>): Promise<void> {
  const file = flags.text('dataset_file');
  const name = flags.text('run_name');
  if (file === undefined || name === undefined || flags.text('batch_size') === undefined) {
    return fail('give --dataset_file prompts.jsonl --batch_size 10 --run_name my_run (or --list_distributions).');
  }
  if (!/^[\w.-]+$/.test(name) || /^\.+$/.test(name)) {
    fail(`--run_name ${JSON.stringify(name)} names a folder: letters, digits, dots, dashes and underscores.`);
  }
  const settings = await readBatchSettings(flags);
  const isJson = flags.isSet('json');
  const concurrency = readWholeNumber('num_workers', flags.text('num_workers')) ?? DEFAULT_WORKERS;
  const { inputs: given, skipped } = await readPrompts(file, { maxSamples: flags.number('max_samples') });
  // Before anything is made or thrown away: a distribution whose tools are not configured costs nothing.
  const isOwnAgent = settings.agent_command !== undefined || settings.agent_url !== undefined;
  const toolsets = isOwnAgent ? undefined : await openToolsetsOf(settings);
  const progress = createBatchProgress({ output: process.stderr });
  const redactor = openLocalRedactor();
  // Prompts are kept, and asked as they are kept: a run that goes on after a crash asks the same.
  const { value: inputs, found } = redact(given, redactor);
  if (found > 0) progress.log(`${found} secrets were taken out of the prompts; the model is asked without them`);
  for (const { line, reason } of skipped) progress.log(`line ${line} of ${file} is left out: ${reason}`);
  if (inputs.length === 0) fail(`${file} has no row with a "prompt".`);

  const storePlace = readStorePlace(args);
  await using local = await openLocalStore(storePlace);
  const { store, blobs } = local;
  const place = { store, blobs, tenantId: flags.text('tenant') ?? LOCAL_TENANT, name };
  const directory = resolve(flags.text('output_dir') ?? 'data', name);
  if (flags.isSet('overwrite')) {
    await openWork(place).forget();
    await rm(directory, { recursive: true, force: true });
  }
  const prices = await readPriceTable(flags.text('prices') ?? homePaths(storePlace.home).prices);
  const { signal: stopping, hurry } = listenForShutdown();
  stopping.addEventListener('abort', () =>
    progress.log('ending: turns under way are finished and kept; once more ends at once'),
  );
  const onNote = (note: string): void => progress.log(note);
  const logged = flags.number('log_prefix_chars') ?? LOGGED_CHARACTERS;
  const onEvent = (event: WorkEvent): void => {
    const line = describeEvent(event, (index) => inputs[index]?.prompt.slice(0, logged) ?? '');
    if (event.kind === 'attempt-failed' || flags.isSet('verbose')) progress.log(line);
  };
  const library = createLocalLibrary({ parts: openIngestParts(local), tenantId: place.tenantId, audit: local.audit });
  try {
    const outcome = await runBatch({
      ...{ place, settings, inputs, directory, concurrency, stopping, hurry, onEvent, onNote, redactor },
      isResuming: flags.isSet('resume'),
      createAgent: (parts) => createBatchAgent(parts, { apiKey: flags.text('api_key'), prices, onNote, toolsets }),
      onProgress: progress.report,
      record: flags.isSet('record') ? (records) => library.sendRecords(records) : undefined,
    });
    progress.end();
    process.stdout.write(isJson ? `${JSON.stringify(outcome)}\n` : describeOutcome(outcome));
    if (outcome.statistics === undefined) process.exitCode = EXIT_CODES.interrupted;
    else if (outcome.counts.failed > 0) process.exitCode = EXIT_CODES.failed;
  } catch (error) {
    progress.end();
    if (BatchError.isInstance(error) && error.kind === 'stop') fail(`${error.message}. What is done is kept.`);
    throw error;
  }
}

function describeEvent(event: WorkEvent, textOf: (index: number) => string): string {
  const head = `prompt ${event.index}`;
  if (event.kind === 'item-lost') return `${head}: another worker has it now`;
  if (event.kind === 'item-ended') return `${head}: ${event.state} · ${textOf(event.index).replaceAll(/\s+/g, ' ')}`;
  const next = event.isLast ? 'no attempt is left' : 'it is tried again';
  return `${head}: attempt ${event.attempt} failed: ${event.reason} (${next})`;
}

async function listDistributions(isJson: boolean, file: string | undefined): Promise<void> {
  if (isJson) {
    process.stdout.write(`${JSON.stringify(TOOLSET_DISTRIBUTIONS)}\n`);
    return;
  }
  const wanted = [...new Set(Object.values(TOOLSET_DISTRIBUTIONS).flatMap((chances) => Object.keys(chances)))];
  const opened = await openToolsets({ wanted, settings: await readToolsSettings({ file }) });
  await opened.close();
  const width = Math.max(...wanted.map((name) => name.length));
  for (const [name, chances] of Object.entries(TOOLSET_DISTRIBUTIONS)) {
    const parts = Object.entries(chances).map(([toolset, percent]) => `${toolset} ${percent}%`);
    process.stdout.write(`${name.padEnd(16)} ${parts.join(', ')}\n`);
  }
  process.stdout.write('\n');
  for (const name of wanted) {
    const configure = opened.missing.find(({ toolset }) => toolset === name)?.configure;
    const tools = opened.toolsets[name]?.map((tool) => tool.name).join(', ');
    process.stdout.write(
      `${name.padEnd(width)}  ${configure === undefined ? tools : `not configured: ${configure}`}\n`,
    );
  }
}
