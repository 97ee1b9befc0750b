import { EnvironmentError, isSetThroughApi } from '@lachesis/sdk/environment';
import { HubError, readHubDataset } from '@lachesis/sdk/hub';

/** What `datasetFields` gives, and where the fields came from. */
export interface DatasetConfig {
  readonly api_fields: string[];
  readonly dataset_name?: string | undefined;
  readonly dataset_config?: string | undefined;
  readonly dataset_split: string;
  readonly eval_dataset_split?: string | undefined;
  readonly prompt_field: string;
  readonly answer_field?: string | undefined;
}

export interface DatasetItem {
  readonly prompt: unknown;
  /** Undefined where no column is named. */
  readonly answer: unknown;
}

export interface ReadDatasetOptions {
  readonly config: DatasetConfig & { readonly dataset_name: string };
  readonly signal: AbortSignal;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** False: the caller has something else where the hub does not answer at once. */
  readonly isPatient?: boolean;
}

/** The prompts of both splits; none for evaluation when the data set has no such split and none was named. */
export async function readDataset(options: ReadDatasetOptions): Promise<{
  train: DatasetItem[];
  evaluation: DatasetItem[];
}> {
  const { config } = options;
  const train = await readSplit(options, config.dataset_split);
  if (train.length === 0) {
    throw new EnvironmentError({
      kind: 'no-items',
      reason: `The split ${config.dataset_split} of ${config.dataset_name} has no rows.`,
      hint: 'Set dataset_split to another one.',
    });
  }
  const named = config.eval_dataset_split;
  if (named !== undefined) return { train, evaluation: await readSplit(options, named) };
  const evaluation = await readSplit(options, 'test').catch((error: unknown) => {
    // Nobody asked for it: a data set without one has a part of its rows held out.
    if (HubError.isInstance(error) && ['not-found', 'offline'].includes(error.kind)) return [];
    throw error;
  });
  return { train, evaluation };
}

async function readSplit({ config, signal, env = process.env, isPatient = true }: ReadDatasetOptions, split: string) {
  const { dataset_name: name, prompt_field: prompt, answer_field: answer } = config;
  // The token is the operator's, for data sets the operator named.
  const isOfApi = isSetThroughApi(config, 'dataset_name');
  const rows = await readHubDataset({
    ...{ name, split, config: config.dataset_config, signal, isPatient },
    env: isOfApi ? { ...env, HF_TOKEN: undefined, HF_TOKEN_PATH: '/dev/null' } : env,
    fields: answer === undefined ? [prompt] : [prompt, answer],
  });
  return rows.map((row): DatasetItem => ({
    prompt: row[prompt],
    answer: answer === undefined ? undefined : row[answer],
  }));
}
