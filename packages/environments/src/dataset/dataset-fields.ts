import { z } from 'zod';

export interface DatasetDefaults {
  readonly name?: string;
  readonly config?: string;
  readonly promptField?: string;
  readonly answerField?: string;
}

/** The fields with which an environment takes its prompts from a data set on a hub. */
export const datasetFields = (defaults: DatasetDefaults = {}) => ({
  dataset_name: optionalText(defaults.name).describe('data set on the hub, as owner/name, whose rows are the prompts'),
  dataset_config: optionalText(defaults.config).describe('part of the data set, where it has several'),
  dataset_split: z.string().default('train').describe('split to train on'),
  eval_dataset_split: z
    .string()
    .optional()
    .describe('split to evaluate on; a part of the first is held out when the data set has no "test"'),
  prompt_field: z
    .string()
    .default(defaults.promptField ?? 'prompt')
    .describe('column of the prompt: a text, or a list of messages'),
  answer_field: optionalText(defaults.answerField).describe('column of what a reply should be'),
});

const optionalText = (value: string | undefined) =>
  value === undefined ? z.string().optional() : z.string().optional().default(value);
