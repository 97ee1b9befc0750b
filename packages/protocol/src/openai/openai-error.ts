import type { ErrorBody } from '../trajectory-api/error-body.ts';

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** An error body that OpenAI's clients read as theirs and ours as ours. */
export interface OpenAiErrorBody {
  error: Omit<ErrorBody['error'], 'code'> & { code: string; type: string; param: string | null };
}

/** Adds what OpenAI's error bodies have beyond ours: a type, and the parameter that is wrong. */
export function toOpenAiError({ error }: ErrorBody, status: number): OpenAiErrorBody {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  const param = error.issues?.[0]?.field ?? null;
  // OpenAI's own word, by which its clients tell a wrong model from a wrong address.
  const code = status === 404 && param === 'model' ? 'model_not_found' : error.code;
  return { error: { ...error, code, type, param } };
}
