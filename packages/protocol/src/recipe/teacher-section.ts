import { z } from 'zod';

/** `teacher` of the section `tinker`: a model that says how likely it finds what the student sampled. */
export const teacherSectionSchema = z.strictObject({
  kind: z
    .enum(['tinker', 'openai'])
    .default('tinker')
    .describe('what it is asked with: a Tinker server, or completions with the log probabilities of their prompt'),
  model: z
    .string()
    .min(1)
    .describe(
      'for tinker name@version of a model, run:step, run:best, a tinker:// path, or a base model of the server; for openai the name its server knows',
    ),
  base_url: z
    .string()
    .nullish()
    .describe('its server; that of the run when absent, which openai has none of: http://…/v1'),
  api_key_variable: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'is no name of a variable: capital letters, digits and underscores')
    .default('LACHESIS_TEACHER_KEY')
    .describe('variable of the trainer that holds the key of base_url'),
  tokenizer_name: z
    .string()
    .min(1)
    .nullish()
    .describe('name or folder of its tokenizer, which has to be that of the student; that of its model when absent'),
});
