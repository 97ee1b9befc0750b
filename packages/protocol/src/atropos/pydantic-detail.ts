import type { z } from 'zod';

/** One fault of a request body, as FastAPI reports it, without the echo of the client's input. */
export interface PydanticFault {
  type: string;
  loc: (string | number)[];
  msg: string;
}

/** The body of a 422 as FastAPI writes it. */
export interface PydanticDetail {
  detail: PydanticFault[];
}

type ZodIssue = z.core.$ZodIssue;

/**
 * FastAPI's 422 body for the issues of a refused small body. Only names and sentences of the schema go out; what the
 * client sent never does, because a body can hold secrets and ends up in logs.
 */
export function toPydanticDetail(issues: readonly ZodIssue[]): PydanticDetail {
  return {
    detail: issues.map((issue) => ({
      ...describeIssue(issue),
      loc: ['body', ...issue.path.map((part) => (typeof part === 'symbol' ? 'symbol' : part))],
    })),
  };
}

function describeIssue(issue: ZodIssue): Omit<PydanticFault, 'loc'> {
  if (issue.code === 'custom' && typeof issue.params?.['type'] === 'string') {
    return { type: issue.params['type'], msg: issue.message };
  }
  if (issue.code === 'invalid_type' && issue.expected === 'object') {
    return {
      type: 'model_attributes_type',
      msg: 'Input should be a valid dictionary or object to extract fields from',
    };
  }
  return { type: 'value_error', msg: 'Input is not valid' };
}
