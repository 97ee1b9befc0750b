import { readSettings, writeSettings, type JsonValue, type Store } from '@lachesis/store';
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { TrainerError } from '../trainer-error.ts';
import type { RecordExample, RecordMethodName } from './method.ts';
import type { RecordTrainingSettings } from './settings.ts';

/** What came of a run, as it is told and remembered. */
export interface RecordTrainingResult {
  readonly run: string;
  readonly runId: string;
  readonly state: 'finished' | 'stopped';
  readonly method: RecordMethodName;
  readonly dataset: { readonly name: string; readonly version: number; readonly digest: string };
  /** In the registry; null when it was stopped before the end. */
  readonly modelVersionId: string | null;
  /** `name@version` of the registry. */
  readonly model: string | null;
  readonly baseModel: string;
  /** `tinker://…`, to sample from. */
  readonly weightsPath: string | null;
  /** To train on from. */
  readonly statePath: string | null;
  readonly steps: number;
  readonly totalSteps: number;
  /** The last value of each series, evaluation included. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Rows that were not trained on, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** What a run remembers between its processes, besides its steps. */
export interface RunMemory {
  /**
   * Notes what the run is, or refuses when it is something else already. Gives the settings to go on with: what is not given
   * is as the run began with it, whatever the defaults are by now.
   */
  begin(identity: {
    method: string;
    dataset: string;
    given: Readonly<Record<string, unknown>>;
    settings: RecordTrainingSettings;
  }): Promise<RecordTrainingSettings>;
  /** Refuses when the rows are not those the run began with: its steps would be of other rows. */
  checkRows(examples: readonly RecordExample[]): Promise<void>;
  readParent(): Promise<string | undefined>;
  saveParent(modelVersionId: string): Promise<void>;
  readMetrics(): Promise<Record<string, number>>;
  saveMetrics(metrics: Readonly<Record<string, number>>): Promise<void>;
  readResult(): Promise<RecordTrainingResult | undefined>;
  saveResult(result: RecordTrainingResult): Promise<void>;
}

/** What may be changed while a run goes on: it does not change which weights come out. */
const FREE_SETTINGS: readonly (keyof RecordTrainingSettings)[] = [
  'save_every',
  'keep_checkpoints',
  'eval_every',
  'use_tensorboard',
  'use_wandb',
  'wandb_project',
];

export function openRunMemory(options: { store: Store; tenantId: string; runId: string; run: string }): RunMemory {
  const { store, tenantId, runId, run } = options;
  const scope = { store, tenantId, scope: `record-training:${runId}` };
  const read = async (name: string): Promise<JsonValue | undefined> =>
    (await readSettings(scope)).find((setting) => setting.name === name)?.value;
  const write = (name: string, value: JsonValue): Promise<void> =>
    writeSettings({ ...scope, settings: [{ name, value, origin: 'trainer' }] });
  const refuse = (message: string): TrainerError => new TrainerError({ kind: 'settings', message });

  return {
    async begin({ method, dataset, given, settings }) {
      const known = (await read('identity')) as unknown as Identity | undefined;
      if (known === undefined) {
        if (await isLoopRun({ store, tenantId, runId })) {
          throw refuse(`The run ${run} trains on batches of environments. Take another name for this one.`);
        }
        await write('identity', { method, dataset, settings });
        return settings;
      }
      const asked = Object.keys(given).filter((name) => given[name] !== undefined);
      const pairs: [string, unknown, unknown][] = [
        ['method', known.method, method],
        ['data set', known.dataset, dataset],
        ...asked
          .filter((name) => !isFree(name))
          .map((name): [string, unknown, unknown] => [name, valueOf(known.settings, name), valueOf(settings, name)]),
      ];
      const differs = pairs.find(([, before, now]) => !isDeepStrictEqual(before, now));
      if (differs !== undefined) {
        throw refuse(
          `The run ${run} began with the ${differs[0]} ${JSON.stringify(differs[1])}, and now ${JSON.stringify(differs[2])} is asked for. ` +
            'Give what it began with to go on, or take another name.',
        );
      }
      const changed = asked.filter(isFree).map((name) => [name, valueOf(settings, name)]);
      return { ...settings, ...known.settings, ...Object.fromEntries(changed) };
    },
    async checkRows(examples) {
      const digest = hash('sha256', examples.map(({ id }) => id).join('\n'), 'hex');
      const known = await read('rows');
      if (known === undefined) return write('rows', digest);
      if (known === digest) return;
      throw refuse(
        `Rows of the data set were forgotten or held out since the run ${run} began, so its steps cannot be gone on with. ` +
          'Take another name: it begins anew with the rows that are left.',
      );
    },
    readParent: async () => (await read('parent')) as string | undefined,
    saveParent: (modelVersionId) => write('parent', modelVersionId),
    readMetrics: async () => ((await read('metrics')) ?? {}) as Record<string, number>,
    saveMetrics: (metrics) => write('metrics', { ...metrics }),
    readResult: async () => (await read('result')) as unknown as RecordTrainingResult | undefined,
    saveResult: (result) => write('result', result as unknown as JsonValue),
  };
}

interface Identity {
  method: string;
  dataset: string;
  settings: RecordTrainingSettings;
}

const valueOf = (settings: RecordTrainingSettings, name: string): unknown =>
  (settings as Readonly<Record<string, unknown>>)[name];

const isFree = (name: string): boolean => (FREE_SETTINGS as readonly string[]).includes(name);

async function isLoopRun({
  store,
  tenantId,
  runId,
}: {
  store: Store;
  tenantId: string;
  runId: string;
}): Promise<boolean> {
  const row = await store.db
    .selectFrom('run_incarnations')
    .select('run_id')
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
