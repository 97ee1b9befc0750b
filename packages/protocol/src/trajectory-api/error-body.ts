import { z } from 'zod';

import { ERROR_CODE_NAMES } from '../errors/error-codes.ts';

/** One place in a request that is wrong. */
export const issueSchema = z.object({
  /** The sequence at fault, or null when the fault is not in one sequence. */
  sequence: z.int().min(0).nullable(),
  field: z.string(),
  message: z.string(),
});

export type Issue = z.infer<typeof issueSchema>;

/** Body of every refusal of the native API. */
export const errorBodySchema = z.object({
  error: z.object({
    code: z.enum(ERROR_CODE_NAMES),
    message: z.string(),
    /** What to do next. */
    hint: z.string().optional(),
    issues: z.array(issueSchema).optional(),
  }),
});

export type ErrorBody = z.infer<typeof errorBodySchema>;

/** Issues of a refused JSON body in the form of the native API. Values the client sent are not repeated. */
export function toIssues(issues: readonly z.core.$ZodIssue[]): Issue[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys')
      return [{ sequence: null, field: path.join('.') || 'body', message: issue.message }];
    return issue.keys.map((key) => ({
      sequence: null,
      field: [...path, key].join('.'),
      message: 'is not a field of this request',
    }));
  });
}
