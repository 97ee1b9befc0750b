import type { Call } from '../load/call.ts';
import type { Execution } from './execution.ts';

/** What is wrong, as sentences; empty when everything is right. */
export interface Verdict {
  readonly done: number;
  readonly tookEffect: number;
  /** Ended with a typed error and without an effect, or with one that is unknown. */
  readonly failed: number;
  /** Samples that the server drew more than once, because a reply was lost. */
  readonly samplesRepeated: number;
  readonly findings: readonly string[];
}

export interface JudgeOptions {
  /** In the order of the calls. */
  readonly calls: readonly Call[];
  /** In the order in which the server carried them out, model by model. */
  readonly executions: readonly Execution[];
  /** How late an operation may end on a busy machine. */
  readonly graceMs: number;
  /** Whether the server's own record has the numbers of all operations. */
  readonly hasNumbers: boolean;
}

/** Results travel as 32-bit floats. */
const CLOSE = 1e-5;

/** Holds what the client said against what the server did. */
export function judgeCalls(options: JudgeOptions): Verdict {
  const { calls, executions } = options;
  const byKey = Map.groupBy(executions, ({ key }) => key);
  const findings = [
    ...calls.flatMap((call) => judgeCall(call, byKey.get(call.key) ?? [], options)),
    ...findStrangers(calls, executions),
    ...findDisorder(calls, executions),
    ...findStepsWithoutPasses(calls, byKey),
    ...(options.hasNumbers ? findGaps(executions) : []),
  ];
  const count = (...outcomes: Call['outcome'][]): number =>
    calls.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const repeated = calls.filter(({ key, modelId }) => modelId === undefined && (byKey.get(key)?.length ?? 0) > 1);
  return {
    done: count('done'),
    tookEffect: count('took-effect'),
    failed: count('refused', 'unknown'),
    samplesRepeated: repeated.length,
    findings,
  };
}

function judgeCall(call: Call, executions: readonly Execution[], { graceMs }: JudgeOptions): string[] {
  const { key, outcome, modelId, elapsedMs, timeoutMs, error } = call;
  const times = executions.length;
  const findings: string[] = [];
  if (outcome === 'hung') findings.push(`${key} hung`);
  if (outcome === 'untyped') findings.push(`${key} failed with ${error ?? 'nothing'}, which is no error of the client`);
  if (elapsedMs > timeoutMs + graceMs) findings.push(`${key} ended ${Math.round(elapsedMs - timeoutMs)} ms late`);
  if (times === 0 && (outcome === 'done' || outcome === 'took-effect'))
    findings.push(`${key} is ${outcome}, not carried out`);
  // A sample has no effect: one that was drawn for nothing is a cost and no mistake.
  if (modelId === undefined) return [...findings, ...judgeResult(call, executions)];
  if (times > 1) findings.push(`${key} was carried out ${times} times`);
  if (times > 0 && outcome === 'refused') findings.push(`${key} was carried out and reported as ${error ?? 'refused'}`);
  return [...findings, ...judgeResult(call, executions)];
}

function judgeResult({ key, result }: Call, executions: readonly Execution[]): string[] {
  if (result === undefined || executions.length === 0) return [];
  const isTheirs = executions.some(
    (execution) =>
      execution.result === undefined ||
      (execution.result.length === result.length &&
        execution.result.every((value, index) => Math.abs(value - (result[index] ?? Number.NaN)) <= CLOSE)),
  );
  return isTheirs ? [] : [`${key} has a result that is not the server's`];
}

function findStrangers(calls: readonly Call[], executions: readonly Execution[]): string[] {
  const known = new Set(calls.map(({ key }) => key));
  return executions.filter(({ key }) => !known.has(key)).map(({ key }) => `${key} was carried out and never called`);
}

/** What a model carried out must come in the order of the calls. */
function findDisorder(calls: readonly Call[], executions: readonly Execution[]): string[] {
  const places = new Map(calls.map(({ key }, index) => [key, index]));
  const last = new Map<string, Execution>();
  return executions.flatMap((execution) => {
    const { modelId, key } = execution;
    if (modelId === undefined) return [];
    const before = last.get(modelId);
    last.set(modelId, execution);
    if (before === undefined || (places.get(before.key) ?? 0) <= (places.get(key) ?? 0)) return [];
    return [`${key} was carried out after ${before.key}, which was called later`];
  });
}

/** A step that was called ahead must not be carried out without the passes it was called for. */
function findStepsWithoutPasses(calls: readonly Call[], byKey: ReadonlyMap<string, readonly Execution[]>): string[] {
  const isPass = ({ key }: Call): boolean => key.startsWith('forward_backward:');
  const isStep = ({ key }: Call): boolean => key.startsWith('optim_step:');
  return [...Map.groupBy(calls, ({ burst }) => burst).values()].flatMap((burst) => {
    const step = burst.findIndex(isStep);
    if (step < 0 || !byKey.has(burst[step]?.key ?? '')) return [];
    const missing = burst.slice(0, step).filter((call) => isPass(call) && !byKey.has(call.key));
    return missing.map(({ key }) => `${burst[step]?.key} was carried out without ${key}`);
  });
}

/** Numbers of a model must be 1, 2, 3 and so on, each once. */
function findGaps(executions: readonly Execution[]): string[] {
  const ofModels = executions.filter(({ modelId }) => modelId !== undefined);
  return [...Map.groupBy(ofModels, ({ modelId }) => modelId).values()].flatMap((ofModel) =>
    ofModel.flatMap(({ key, seqId }, index) =>
      seqId === index + 1 ? [] : [`${key} has number ${seqId ?? 'none'}, where ${index + 1} was next`],
    ),
  );
}
