import type { TrainerSection } from '@lachesis/protocol';
import type { Tokenizer } from '@lachesis/sdk/render';
import { parseTinkerPath, planWeightsInfo, TinkerError, type JournalFile, type TinkerService } from '@lachesis/tinker';
import type { Logger } from 'pino';
import { createTinkerEngine } from '../../engine/tinker-engine.ts';
import { TrainerError } from '../../trainer-error.ts';
import { openReference, type Reference } from '../rlhf/open-reference.ts';
import { findOtherToken } from './compare-tokenizers.ts';
import { createCompletionsTeacher } from './completions-teacher.ts';
import { createSamplerTeacher } from './sampler-teacher.ts';

export type TeacherSection = NonNullable<TrainerSection['teacher']>;

export interface OpenTeacherOptions {
  section: TeacherSection;
  student: { baseModel: string };
  /** The rank of a teacher that is a base model, where that is one with matrices that change nothing. */
  rank: number;
  /** Opens a session with a Tinker server; that of the run when no address is given. */
  connect(options: {
    baseUrl: string | undefined;
    apiKey: string | undefined;
    journal: JournalFile | undefined;
  }): Promise<TinkerService>;
  /** Remembers the models of this session, so that those of a process that was killed can be freed. */
  journal?: JournalFile | undefined;
  /** The state behind a name of the registry, `run:step` or `run:best`. */
  findState(ref: string): Promise<string>;
  loadTokenizer(place: string): Promise<Tokenizer>;
  env: Readonly<Record<string, string | undefined>>;
  fetch?: typeof fetch | undefined;
  log: Logger;
}

/**
 * Opens the teacher of a recipe, and refuses one that cannot teach: it is asked for a few tokens before anything is spent. What it
 * says is about tokens by their numbers, so its vocabulary has to be the student's.
 */
export async function openTeacher(options: OpenTeacherOptions): Promise<Reference> {
  const { section } = options;
  const opened = await (section.kind === 'openai' ? openCompletions(options) : openTinker(options)).catch(
    refuse(section),
  );
  try {
    await checkVocabulary(options, opened.baseModel);
    await probe(options, opened.reference);
  } catch (error) {
    await opened.reference.close();
    throw error;
  }
  return opened.reference;
}

interface Opened {
  reference: Reference;
  /** What its tokenizer is found by. */
  baseModel: string;
}

async function openCompletions({ section, env, fetch: send }: OpenTeacherOptions): Promise<Opened> {
  const { base_url: baseUrl, model, api_key_variable: variable } = section;
  const reference = createCompletionsTeacher({ baseUrl: baseUrl ?? '', model, apiKey: env[variable], fetch: send });
  return { reference, baseModel: model };
}

async function openTinker(options: OpenTeacherOptions): Promise<Opened> {
  const { section, env, rank, journal, log } = options;
  const baseUrl = section.base_url ?? undefined;
  // The key of the run is not for another server.
  const apiKey = baseUrl === undefined ? undefined : (env[section.api_key_variable] ?? '');
  const service = await options.connect({ baseUrl, apiKey, journal });
  const close = async (): Promise<void> => service.close({ timeoutMs: 30_000 });
  try {
    const { path, baseModel } = await findWeights(options, service);
    const isSampled = isIsolated(service) && !isState(path);
    const reference = isSampled
      ? await createSamplerTeacher({ service, path, baseModel })
      : await openReference({
          engine: createTinkerEngine({
            ...{ service, baseModel, seed: 0, initialState: path },
            // A state has a rank of its own.
            lora: path === undefined ? { rank } : {},
          }),
          log,
        });
    return {
      baseModel,
      reference: {
        logprobs: (sequences) => reference.logprobs(sequences),
        close: async () => {
          await reference.close();
          await close();
        },
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Weights by what the recipe calls them: what the server lists is a base model, and has no path. */
async function findWeights(
  { section: { model }, findState }: OpenTeacherOptions,
  service: TinkerService,
): Promise<{ path: string | undefined; baseModel: string }> {
  const listed = service.models.map(({ name }) => name);
  if (model === 'engine' && listed[0] !== undefined) return { path: undefined, baseModel: listed[0] };
  if (listed.includes(model)) return { path: undefined, baseModel: model };
  const path = isPath(model) && !isState(model) ? toLoadable(model, service) : await findState(model);
  const { base_model: baseModel } = await service.request(planWeightsInfo(path), { timeoutMs: 30_000 });
  return { path, baseModel: typeof baseModel === 'string' ? baseModel : '' };
}

const isIsolated = ({ profile }: TinkerService): boolean => profile.samplingIsolation === 'isolated';

/** Where a sampler would disturb training, weights for sampling are also a state, under the same name. */
function toLoadable(path: string, service: TinkerService): string {
  if (isIsolated(service)) return path;
  const { run, name } = parseTinkerPath(path);
  return `tinker://${run}/weights/${name}`;
}

const isPath = (ref: string): boolean => ref.startsWith('tinker://');
const isState = (path: string | undefined): boolean => path !== undefined && /^tinker:\/\/[^/]+\/weights\//.test(path);

async function checkVocabulary(options: OpenTeacherOptions, baseModel: string): Promise<void> {
  const { section, student, loadTokenizer } = options;
  const place = section.tokenizer_name ?? baseModel;
  if (place === student.baseModel) return;
  const [own, other] = await Promise.all([
    loadTokenizer(student.baseModel),
    loadTokenizer(place).catch((error: unknown) => {
      throw teacherError(
        `The tokenizer of the teacher ${section.model} cannot be loaded from ${place}, so nobody can say whether it reads the tokens of ${student.baseModel}: ${messageOf(error)} Name it with teacher.tokenizer_name.`,
        error,
      );
    }),
  ]);
  const difference = await findOtherToken(own, other);
  if (difference === undefined) return;
  throw teacherError(
    `The teacher ${section.model} has another vocabulary than the student ${student.baseModel}: ${difference}. ` +
      'A teacher says how likely it finds each token of the student by its number: take one of the same family, whose tokenizer is the same.',
  );
}

/** Two tokens that every vocabulary has. */
const PROBE = Int32Array.of(0, 1, 0);

/** What cannot be asked now will not be there at the first step. */
async function probe({ section }: OpenTeacherOptions, reference: Reference): Promise<void> {
  const targets = PROBE.length - 1;
  const [answer] = await reference
    .logprobs([
      {
        datum: {
          tokens: PROBE.slice(0, -1),
          inputs: {
            target_tokens: PROBE.slice(1),
            logprobs: new Float32Array(targets),
            advantages: new Float32Array(targets),
            weights: new Float32Array(targets).fill(1),
          },
        },
      },
    ])
    .catch(refuse(section));
  if (answer?.length === targets && answer.every((logprob) => logprob <= 0)) return;
  throw teacherError(
    `The teacher ${section.model} does not say how likely it finds the tokens it is asked about. Look at its server: it has to give the log probabilities of a prompt.`,
  );
}

/** What a server refuses because of how it was asked, it refuses each time; what may pass is tried again by whoever opened it. */
const refuse =
  ({ model, base_url: baseUrl }: TeacherSection) =>
  (error: unknown): never => {
    if (TrainerError.isInstance(error)) throw error;
    const where = baseUrl === null || baseUrl === undefined ? 'the engine of the run' : baseUrl;
    const message = `The teacher ${model} at ${where} cannot be asked: ${messageOf(error)} Look at teacher of the section tinker.`;
    if (TinkerError.isInstance(error) && error.retryable) throw new Error(message, { cause: error });
    throw teacherError(message, error);
  };

const teacherError = (message: string, cause?: unknown): TrainerError =>
  new TrainerError({ kind: 'settings', message, ...(cause === undefined ? {} : { cause }) });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
