import { recipeSchema } from '@lachesis/protocol';
import { createLog } from '../http/logs/create-log.ts';
import type { TrainerSettings } from '../http/settings/trainer-settings.ts';
import { serveConnections } from '../process/serve-connections.ts';
import { buildTrainer } from './build.ts';

/** Shorter than the others': a step is safe in the ledger, and completions can be asked for again. */
const DRAIN_MS = 5_000;

/** Trains, and serves meanwhile. Settings and recipe come from the parent. */
export async function serveTrainer(): Promise<void> {
  const settings = JSON.parse(process.env['LACHESIS_CHILD_SETTINGS'] ?? '{}') as TrainerSettings;
  const recipe = recipeSchema.parse(JSON.parse(process.env['LACHESIS_CHILD_RECIPE'] ?? '{}'));
  const log = createLog({ name: 'trainer', level: settings.logLevel });
  const onLine = (line: string): void => void process.stdout.write(`${line}\n`);
  await serveConnections({
    name: 'the trainer',
    log,
    drainMs: DRAIN_MS,
    build: () => buildTrainer({ settings, recipe, log, onLine }),
    work: async (built) => {
      await built.train();
      const { state, detail } = built.status();
      onLine(`training ${state}: ${detail}`);
    },
  });
}

if (import.meta.main) await serveTrainer();
