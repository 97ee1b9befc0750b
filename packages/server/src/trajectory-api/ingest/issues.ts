/** One thing wrong with a body, in the words and places pydantic uses; the client's data is never echoed. */
export interface BodyIssue {
  type: IssueType;
  /** Where: `['body', 'tokens', 3, 17]`. */
  loc: (string | number)[];
  msg: string;
  /** Only with `json_invalid`: what the parser expected. */
  ctx?: { error: string };
}

/** The sentences are pydantic's own: clients log them and people search for them. */
const messages = Object.freeze({
  json_invalid: 'JSON decode error',
  missing: 'Field required',
  list_type: 'Input should be a valid list',
  dict_type: 'Input should be a valid dictionary',
  model_attributes_type: 'Input should be a valid dictionary or object to extract fields from',
  int_type: 'Input should be a valid integer',
  int_parsing: 'Input should be a valid integer, unable to parse string as an integer',
  int_parsing_size: 'Unable to parse input string as an integer, exceeded maximum size',
  int_from_float: 'Input should be a valid integer, got a number with a fractional part',
  finite_number: 'Input should be a finite number',
  float_type: 'Input should be a valid number',
  float_parsing: 'Input should be a valid number, unable to parse string as a number',
  string_unicode: 'Input should be a valid string, unable to parse raw data as a unicode string',
  value_error: "Value error, Message must have 'role' and 'content' fields",
});

export type IssueType = keyof typeof messages;

export function createIssue(type: IssueType, loc: (string | number)[]): BodyIssue {
  return { type, loc, msg: messages[type] };
}

/** What a body is refused with: a list of issues (422) or a sentence. */
export type Refusal =
  | { kind: 'refused'; status: 422; issues: BodyIssue[] }
  | { kind: 'refused'; status: 400 | 413 | 422; text: string };

const marker = Symbol.for('lachesis.trajectory-api.body-refused');

/** Ends a scan from any depth. It never leaves the ingest room: `ingestBody` turns it into its outcome. */
export class BodyRefusedError extends Error {
  readonly [marker] = true;
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super('issues' in refusal ? refusal.issues.map((issue) => issue.msg).join('; ') : refusal.text);
    this.name = 'BodyRefusedError';
    this.refusal = refusal;
  }

  static isInstance(error: unknown): error is BodyRefusedError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}

export function refuseWithIssues(issues: BodyIssue[]): BodyRefusedError {
  return new BodyRefusedError({ kind: 'refused', status: 422, issues });
}

export function refuseTooLarge(text: string): BodyRefusedError {
  return new BodyRefusedError({ kind: 'refused', status: 413, text });
}

/** Atropos' answer to a body whose bytes are not text, or whose integers Python will not read. */
export function refuseUnreadable(): BodyRefusedError {
  return new BodyRefusedError({ kind: 'refused', status: 400, text: 'There was an error parsing the body' });
}
