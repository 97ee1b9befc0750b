import { makeDataset } from '@lachesis/data';
import { makeConversation, makePreference, type DataRecord } from '@lachesis/protocol';
import { trainOnRecords, type RecordTrainingProgress } from '@lachesis/server';
import type { RecordTrainingResult } from '../../../packages/server/src/services/training/records/training-memory.ts';
import type { RecordTrainingReplacements } from '../../../packages/server/src/services/training/records/training.ts';
import { openHome, type BlobStore, type Store } from '@lachesis/store';

import { candidates, otherStyle, toPrompt, toReply, trained, wantedStyle, type Question } from './corpus.ts';
import { recordFeedback } from './record-feedback.ts';

export interface DpoPlace {
  readonly home: string;
  readonly engineUrl: string;
  readonly log: (text: string) => void;
}

const SHARED = { lora_rank: 8, lr_schedule: 'linear', use_tensorboard: false } as const;
/** The default is for models that can write; this one has a third of a million weights. */
const LEARNING_RATE = 3e-3;
/** Plain DPO is also served by making both replies unlikely, and a model this small does that first. */
const CHOSEN_NLL_WEIGHT = 1;
/** Pairs of a step: two sequences each. */
const PAIRS = 16;

/** Teaches a random model both styles, each as likely as the other, whatever was asked. */
export async function warmUp(
  place: DpoPlace,
  { seed, epochs }: { seed: number; epochs: number },
): Promise<RecordTrainingResult> {
  const questions = [...trained, ...candidates];
  const rows = questions.flatMap((question) =>
    (['text', 'list'] as const).map((style) =>
      makeConversation({
        id: `${question.kind}/${question.word}/${style}`,
        messages: [toPrompt(question), toReply(style)],
      }),
    ),
  );
  await withLibrary(place, (library) => makeSet(library, { name: 'styles', rows }));
  return trainOnRecords({
    ...common(place),
    method: 'sft',
    dataset: { name: 'styles' },
    run: `warm-up-${seed}`,
    settings: { ...SHARED, batch_size: 2 * PAIRS, epochs, learning_rate: 1e-2, seed, model_name: 'talker' },
  });
}

/** Makes the set of pairs out of feedback, and the one to measure with, whose questions no pair has. */
export async function makePairSets(
  place: DpoPlace,
  { heldOut }: { heldOut: readonly Question[] },
): Promise<{ pairs: number; feedback: number }> {
  return withLibrary(place, async (library) => {
    const { feedback } = await recordFeedback({ ...library, questions: trained });
    const { dataset } = await makeDataset({
      ...library,
      tenantId: 'local',
      name: 'preferences',
      filter: {},
      kind: 'preference',
    });
    await makeSet(library, { name: 'measure', rows: heldOut.map(toPair), isHeldOut: true });
    return { pairs: dataset.row_count, feedback };
  });
}

export function runDpo(
  place: DpoPlace,
  options: {
    run: string;
    parent: string;
    seed: number;
    epochs: number;
    replace?: RecordTrainingReplacements;
  },
): Promise<RecordTrainingResult> {
  const { run, parent, seed, epochs, replace } = options;
  return trainOnRecords({
    ...common(place),
    method: 'dpo',
    dataset: { name: 'preferences', version: 1 },
    run,
    settings: {
      ...SHARED,
      parent,
      batch_size: PAIRS,
      epochs,
      learning_rate: LEARNING_RATE,
      seed,
      chosen_nll_weight: CHOSEN_NLL_WEIGHT,
      eval_dataset: 'measure',
    },
    replace,
  });
}

const common = ({ home, engineUrl, log }: DpoPlace) => ({
  home,
  tinker: { baseUrl: engineUrl, apiKey: 'tml-none' },
  onProgress: ({ phase, detail, metrics = {} }: RecordTrainingProgress): void => {
    const numbers = Object.entries(metrics).filter(([name]) => /nll|dpo\/accuracy/.test(name));
    log(`${phase}: ${detail} ${numbers.map(([name, value]) => `${name} ${value.toFixed(3)}`).join(', ')}`);
  },
});

const toPair = (question: Question) =>
  makePreference({
    id: `held-out/${question.kind}/${question.word}`,
    prompt: [toPrompt(question)],
    chosen: [toReply(wantedStyle(question))],
    rejected: [toReply(otherStyle(wantedStyle(question)))],
  });

interface Library {
  readonly store: Store;
  readonly blobs: BlobStore;
}

export async function withLibrary<T>({ home }: DpoPlace, work: (library: Library) => Promise<T>): Promise<T> {
  await using opened = await openHome({ home });
  return await work(opened);
}

export async function makeSet(
  library: Library,
  { name, rows, isHeldOut = false }: { name: string; rows: readonly DataRecord[]; isHeldOut?: boolean },
): Promise<void> {
  await makeDataset({
    ...library,
    tenantId: 'local',
    name,
    filter: {},
    source: rows,
    sourceName: 'dpo-tiny',
    isHeldOut,
  });
}
