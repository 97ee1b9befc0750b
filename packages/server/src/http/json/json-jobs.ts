import type { JsonLimits } from './json-limits.ts';
import type { JsonMeasure } from './measure-json.ts';

/** The bytes go to the thread and come back. */
export type JsonJobs = {
  measure: {
    request: { bytes: Uint8Array<ArrayBuffer>; limits: JsonLimits; listKey?: string | undefined };
    result: { bytes: Uint8Array<ArrayBuffer>; measure: JsonMeasure };
  };
};
