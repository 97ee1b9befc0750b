import { answerJobs } from '../threads/answer-jobs.ts';
import type { JsonJobs } from './json-jobs.ts';
import { measureJson } from './measure-json.ts';

answerJobs<JsonJobs>({
  run: ({ request: { bytes, ...options } }) => ({ bytes, measure: measureJson(bytes, options) }),
  transferOf: ({ bytes, measure: { elements } }) =>
    elements === undefined ? [bytes.buffer] : [bytes.buffer, elements.buffer],
});
