import { z } from 'zod';
import { controlConfigSchema } from './config.ts';

/** One environment, found without running its code. */
export const environmentEntrySchema = z.looseObject({
  name: z.string(),
  class_name: z.string(),
  file_path: z.string(),
  description: z.string(),
});

export type EnvironmentEntry = z.infer<typeof environmentEntrySchema>;

/** `GET /environments`: the list itself, without a wrapper. */
export const environmentListSchema = z.array(environmentEntrySchema);

/** Reply of `POST /environments/{name}/select`: the environment of the next run. */
export const environmentSelectionSchema = z.looseObject({
  message: z.string(),
  environment: z.string(),
  file_path: z.string(),
  config: controlConfigSchema,
});

export type EnvironmentSelection = z.infer<typeof environmentSelectionSchema>;
