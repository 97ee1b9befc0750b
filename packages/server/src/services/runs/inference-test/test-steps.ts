import type { InferenceTest } from '@lachesis/protocol';
import { z } from 'zod';
import type { TestServer } from './choose-servers.ts';
import { judgeRollouts } from './judge-rollouts.ts';

type ModelResult = NonNullable<InferenceTest['models']>[number];

/** What is tried. */
export interface TestEnvironment {
  name: string;
  /** The section env, as a run would have it. */
  settings: Readonly<Record<string, unknown>>;
}

/** Runs `lachesis env process` on a server; each line it prints is told. Resolves with how it ended. */
export type ProcessEnvironment = (options: {
  tenantId: string;
  /** One for each test and model. */
  id: string;
  environment: TestEnvironment;
  server: TestServer;
  groups: number;
  groupSize: number;
  dataPath: string;
  logPath: string;
  signal: AbortSignal;
  onLine: (line: string) => void;
}) => Promise<{ code: number | null; lastWords: string }>;

export interface StepTestOptions {
  tenantId: string;
  id: string;
  environment: TestEnvironment;
  server: TestServer;
  steps: number;
  groupSize: number;
  dataPath: string;
  logPath: string;
  processEnvironment: ProcessEnvironment;
  signal: AbortSignal;
  /** Told whenever there is more. */
  onResult: (result: ModelResult) => void;
}

/** What is read of the lines that an environment prints as JSON. */
const lineSchema = z.union([
  z.looseObject({ kind: z.literal('rollout-ended'), outcome: z.looseObject({ kind: z.string() }) }),
  z.looseObject({ kind: z.literal('group-written') }),
  z.looseObject({ kind: z.literal('group-dropped'), reason: z.string() }),
]);

const CORRECT_FROM = 0.5;

/** Rolls out the environment's own tasks with one model, and judges what it sees. */
export async function testSteps(options: StepTestOptions): Promise<ModelResult> {
  const scores: (number | null)[] = [];
  const failures: { kind: string; reason: string }[] = [];
  let groups = 0;
  let error: string | null = null;
  const describe = (): ModelResult => {
    const scored = scores.filter((score): score is number => score !== null);
    return {
      model: options.server.label,
      steps: groups,
      completions: scores.length - failures.filter(({ kind }) => kind !== 'verifier').length,
      failed: failures.length,
      accuracy: scored.length === 0 ? null : scored.filter((score) => score >= CORRECT_FROM).length / scored.length,
      scores: [...scores],
      log_path: options.logPath,
      data_path: options.dataPath,
      verdicts: judgeRollouts({ isLoaded: scores.length > 0, scores, failures, error }),
    };
  };
  const onLine = (line: string): void => {
    const event = readLine(line);
    if (event === undefined) return;
    if (event.kind === 'group-written') groups += 1;
    if (event.kind === 'rollout-ended') {
      const { outcome } = event as { outcome: { kind: string; reward?: number; failure?: string; reason?: string } };
      scores.push(outcome.kind === 'scored' ? (outcome.reward ?? null) : null);
      if (outcome.kind === 'failed')
        failures.push({ kind: outcome.failure ?? 'unknown', reason: outcome.reason ?? '' });
    }
    options.onResult(describe());
  };
  const { tenantId, id, environment, server, steps, groupSize, dataPath, logPath, signal } = options;
  const shared = { tenantId, id, environment, server, groupSize, dataPath, logPath, signal, onLine };
  const { code, lastWords } = await options.processEnvironment({ ...shared, groups: steps });
  if (code !== 0) error = lastWords || `it ended with code ${code}`;
  return { ...describe(), ...(error === null ? {} : { error }) };
}

function readLine(line: string): z.infer<typeof lineSchema> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return lineSchema.safeParse(JSON.parse(line)).data;
  } catch {
    // A line of the environment's own that only begins like ours.
    return undefined;
  }
}
