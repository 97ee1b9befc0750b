import {
  jobSchemas,
  modelChangeSchema,
  modelComparisonSchema,
  modelSampleSchemas,
  type Redactor,
} from '@lachesis/protocol';
import type { ControlClient } from '@lachesis/sdk';
import type { z } from 'zod';
import type { DatasetScope } from '../library/datasets.ts';
import { listModelImprovements, showImprovement, stopImprovement } from '../improve/improvements.ts';
import { listJobs, showJob } from '../jobs/jobs.ts';
import type { EnginePlace } from './bring-adapter.ts';
import { nameOf, needModel } from './find-start.ts';
import { readLineage } from './lineage.ts';
import { saveEvaluation, listRegisteredModels, promoteRegisteredModel, rollBackModel, showModel } from './models.ts';

/** Models, lineage and jobs, behind a server or in the local store. */
export interface ModelLibrary extends Pick<
  ControlClient,
  | 'saveEvaluation'
  | 'listImprovements'
  | 'listJobs'
  | 'listModels'
  | 'promoteModel'
  | 'readImprovement'
  | 'readJob'
  | 'readLineage'
  | 'readModel'
  | 'rollBackModel'
  | 'stopImprovement'
> {
  /** On the engine of the server, or the one that this machine finds. */
  compareModels(
    comparison: z.input<typeof modelComparisonSchema>,
    engine: EngineFlags,
  ): ReturnType<ControlClient['compareModels']>;
  /** Replies from given tokens on, in order. */
  sampleReplies(
    ask: z.input<(typeof modelSampleSchemas)['ask']>,
    engine: EngineFlags,
  ): ReturnType<ControlClient['sampleReplies']>;
  /** Brings the trained weights of a model into a folder of this machine. */
  bringAdapter(ref: string, place: AdapterPlace & EngineFlags): Promise<{ rank: number; warnings: readonly string[] }>;
}

/** Which engine, said by flags. A server asks its own, by what its operator set. */
interface EngineFlags {
  readonly 'engine-url'?: string | undefined;
  readonly tokenizer?: string | undefined;
  readonly 'allow-file-urls'?: boolean | undefined;
  readonly signal: AbortSignal;
}

interface AdapterPlace {
  readonly destination: string;
  readonly overwrite: boolean;
}

interface LocalModelParts {
  /** Told of what is changed here for good, and of what is handed out whole. */
  audit: (action: { action: string; tenantId: string; things: Readonly<Record<string, string>> }) => Promise<void>;
  /** The engine with this address, or the one that is found here. */
  findEngine: (named: string | undefined) => Promise<EnginePlace>;
  /** The rules by which this home redacts. */
  openRedactor: () => Redactor;
}

/** The same calls on the store itself; a change is written into the audit log as a server does. */
export function createLocalModels(scope: DatasetScope, parts: LocalModelParts): ModelLibrary {
  const { audit, findEngine } = parts;
  const note = async <T extends { name: string; version: number }>(action: string, promotion: T): Promise<T> => {
    await audit({ action, tenantId: scope.tenantId, things: { model: nameOf(promotion) } });
    return promotion;
  };
  return {
    listImprovements: async (query = {}) => ({ improvements: await listModelImprovements({ ...scope, ...query }) }),
    readImprovement: (ref) => showImprovement({ ...scope, ref }),
    stopImprovement: async (ref) => {
      const stopped = await stopImprovement({ ...scope, ref, reason: 'it was asked for' });
      const things = { improvement: stopped.improvement_id, model: stopped.model };
      await audit({ action: 'improve stop', tenantId: scope.tenantId, things });
      return stopped;
    },
    listJobs: (query = {}) => listJobs({ ...scope, ...jobSchemas.query.parse(query) }),
    readJob: (ref) => showJob({ ...scope, ref, redactor: parts.openRedactor() }),
    listModels: async (query = {}) => ({ models: await listRegisteredModels({ ...scope, ...query }) }),
    readModel: (ref) => showModel({ ...scope, ref }),
    promoteModel: async (ref, given) => {
      const change = modelChangeSchema.parse(given);
      return await note('models promote', await promoteRegisteredModel({ ...scope, ref, change }));
    },
    rollBackModel: async (name, given) => {
      const change = modelChangeSchema.parse(given);
      return await note('models rollback', await rollBackModel({ ...scope, name, change }));
    },
    readLineage: (what, query = {}) => readLineage({ ...scope, what, ...query }),
    saveEvaluation: (ref, evaluation) => saveEvaluation({ ...scope, ref, evaluation }),
    async *compareModels(given, engine) {
      const comparison = modelComparisonSchema.parse(given);
      const { tokenizer, signal } = engine;
      // Loaded here: a list of models needs neither an engine nor a tokenizer.
      const { compareOnDataset } = await import('./compare.ts');
      const lines = compareOnDataset({
        ...{ ...scope, comparison, tokenizer, signal, findEngine: () => findEngine(engine['engine-url']) },
      });
      for await (const line of lines) {
        // Those that keep and end a stream are for who reads one.
        if (!('done' in line || 'waiting' in line || 'failed' in line)) yield line;
      }
    },
    async *sampleReplies(given, engine) {
      const ask = modelSampleSchemas.ask.parse(given);
      const { tokenizer, signal } = engine;
      const { sampleReplies } = await import('./sample-replies.ts');
      const lines = sampleReplies({
        ...{ ...scope, ask, tokenizer, signal, findEngine: () => findEngine(engine['engine-url']) },
      });
      for await (const line of lines) if ('sampled' in line) yield line.sampled;
    },
    async bringAdapter(ref, { destination, overwrite, ...engine }) {
      const model = await needModel({ ...scope, ref });
      const allowFileUrls = engine['allow-file-urls'];
      const { signal } = engine;
      const place = {
        model,
        engine: await findEngine(engine['engine-url']),
        destination,
        overwrite,
        allowFileUrls,
        signal,
      };
      const { bringAdapter } = await import('./bring-adapter.ts');
      const brought = await bringAdapter(place);
      await note('models export', model);
      return brought;
    },
  };
}
