import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { EnvironmentError } from '@lachesis/sdk/environment';

export interface Problem {
  readonly question: string;
  /** The number alone. */
  readonly answer: string;
}

/** Two hundred problems of our own; `problems/` makes them. */
export const SHIPPED_PROBLEMS = fileURLToPath(new URL('../../data/problems.jsonl', import.meta.url));

export interface ReadProblemsOptions {
  readonly signal?: AbortSignal;
  readonly fetch?: typeof fetch;
  /** HF_ENDPOINT names the hub of `hf://`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Reads lines of `{"question", "answer"}`, as the data set of the same name has them: the answer ends in `#### 72`. */
export async function readProblems(source: string, options: ReadProblemsOptions = {}): Promise<Problem[]> {
  const text = await readSource(source, options);
  const problems = text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => readProblem(line, `${source}:${number}`));
  if (problems.length > 0) return problems;
  throw new EnvironmentError({ kind: 'no-items', reason: `${source} has no problems.`, hint: 'Give a JSONL file.' });
}

async function readSource(source: string, options: ReadProblemsOptions): Promise<string> {
  const { signal, fetch: request = fetch, env = process.env } = options;
  const hub = (env['HF_ENDPOINT'] || 'https://huggingface.co').replace(/\/+$/, '');
  const address = source.replace(
    /^hf:\/\/datasets\/([^/]+\/[^/]+)\//,
    (_, name: string) => `${hub}/datasets/${name}/resolve/main/`,
  );
  if (!/^https?:\/\//.test(address)) {
    try {
      return await readFile(address, 'utf8');
    } catch (cause) {
      throw new EnvironmentError({
        kind: 'bad-path',
        reason: `The problems in ${source} cannot be read.`,
        hint: 'Set dataset_path to a JSONL file, or leave it out for the 200 problems that come along.',
        cause,
      });
    }
  }
  const response = await request(address, signal === undefined ? {} : { signal });
  if (response.ok) return response.text();
  await response.body?.cancel();
  throw new EnvironmentError({
    kind: 'bad-path',
    reason: `${address} answered ${response.status}.`,
    hint: 'Download the file and set dataset_path to where it is.',
  });
}

function readProblem(line: string, place: string): Problem {
  let problem: Problem | undefined;
  try {
    const { question, answer } = JSON.parse(line) as Record<string, unknown>;
    problem = toProblem(question, answer);
  } catch (cause) {
    throw refuse(place, cause);
  }
  if (problem === undefined) throw refuse(place);
  return problem;
}

/** Undefined when the question is no text, or the answer neither a number nor a text that ends in one. */
export function toProblem(question: unknown, answer: unknown): Problem | undefined {
  const final =
    typeof answer === 'number' ? String(answer) : String(answer).split('####').at(-1)?.trim().replaceAll(',', '');
  const isRight = typeof question === 'string' && question !== '' && /^-?\d+(?:\.\d+)?$/.test(final ?? '');
  return isRight && final !== undefined ? { question, answer: final } : undefined;
}

const refuse = (place: string, cause?: unknown): EnvironmentError =>
  new EnvironmentError({
    kind: 'no-items',
    reason: `${place} is not a problem.`,
    hint: 'Each line is JSON with a question and an answer that is a number or ends in "#### number".',
    cause,
  });
