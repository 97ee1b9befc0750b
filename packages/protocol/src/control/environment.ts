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

/** Reply of `GET /environments/{name}/source`: the file an environment is written in. */
export const environmentSourceSchema = z.looseObject({
  name: z.string(),
  file_path: z.string(),
  language: z.enum(['typescript', 'python']),
  /** Bytes of the whole file. */
  size: z.int().min(0),
  /** Whether the text is only the beginning. */
  is_cut: z.boolean(),
  text: z.string(),
});

export type EnvironmentSource = z.infer<typeof environmentSourceSchema>;

/** Reply of `POST /environments/{name}/check`: what it must be able to do, tried without a model. */
export const environmentCheckSchema = z.looseObject({
  name: z.string(),
  /** False when a line is wrong; lines that are open were not tried. */
  passed: z.boolean(),
  lines: z.array(z.object({ name: z.string(), verdict: z.enum(['ok', 'open', 'wrong']), detail: z.string() })),
});

export type EnvironmentCheck = z.infer<typeof environmentCheckSchema>;

/** Reply of `POST /environments/{name}/select`: the environment of the next run. */
export const environmentSelectionSchema = z.looseObject({
  message: z.string(),
  environment: z.string(),
  file_path: z.string(),
  config: controlConfigSchema,
});

export type EnvironmentSelection = z.infer<typeof environmentSelectionSchema>;
