import { EnvironmentError } from '@lachesis/sdk/environment';
import { HubError } from '@lachesis/sdk/hub';
import { readDataset, type DatasetConfig, type DatasetItem } from '../dataset/read-dataset.ts';
import { SHIPPED_PROBLEMS, readProblems, toProblem, type Problem } from './read-problems.ts';

export interface ReadNamedOptions {
  readonly signal: AbortSignal;
  readonly log: (text: string) => void;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The data set whose place the shipped problems can take: they are of its kind. */
const GSM8K = 'openai/gsm8k';

/** The problems of a data set on the hub. Where the real GSM8K cannot be had, those that come along, and a line that says so. */
export async function readNamedProblems(
  config: DatasetConfig,
  { signal, log, env }: ReadNamedOptions,
): Promise<{ train: Problem[]; evaluation: Problem[] }> {
  const name = config.dataset_name ?? '';
  if (name === '') return { train: await readProblems(SHIPPED_PROBLEMS, { signal }), evaluation: [] };
  try {
    const named = { ...config, dataset_name: name };
    const { train, evaluation } = await readDataset({
      ...{ config: named, signal, isPatient: name !== GSM8K },
      ...(env === undefined ? {} : { env }),
    });
    return { train: toProblems(train, config), evaluation: toProblems(evaluation, config) };
  } catch (error) {
    if (
      name !== GSM8K ||
      !HubError.isInstance(error) ||
      !['offline', 'unreachable', 'no-access'].includes(error.kind)
    ) {
      throw error;
    }
    log(
      `GSM8K itself cannot be had: ${error.message.split('. ')[0]}. The 200 problems that come along are used; ` +
        'env.dataset_path names a file of your own.',
    );
    return { train: await readProblems(SHIPPED_PROBLEMS, { signal }), evaluation: [] };
  }
}

function toProblems(
  items: readonly DatasetItem[],
  { dataset_name: name, answer_field: field }: DatasetConfig,
): Problem[] {
  return items.map(({ prompt, answer }, index) => {
    const problem = toProblem(prompt, answer);
    if (problem !== undefined) return problem;
    throw new EnvironmentError({
      kind: 'no-items',
      reason: `Row ${index + 1} of ${name} is not a problem.`,
      hint: `Set prompt_field to a column of texts, and answer_field (${field}) to one of numbers or of texts that end in "#### number".`,
    });
  });
}
