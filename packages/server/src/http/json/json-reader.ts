import { LachesisError } from '@lachesis/protocol';
import { createWorkerPool, takeBytes, type WorkerPool } from '../threads/worker-pool.ts';
import { createBreather } from './breathe.ts';
import type { JsonJobs } from './json-jobs.ts';
import { JSON_LIMITS, type JsonLimits } from './json-limits.ts';
import { measureJson, type JsonMeasure } from './measure-json.ts';

/** Smaller bodies are measured where they are: a quarter of a megabyte takes half a millisecond. */
const INLINE_BYTES = 256 * 1024;
/** The largest body takes a second on a slow machine. */
const JOB_TIMEOUT_MS = 30_000;
/** A thread keeps nothing but the bytes it looks at, and those lie outside of its heap. */
const THREAD_HEAP_MB = 32;

const WORKER_URL = new URL(import.meta.url.endsWith('.ts') ? './json-worker.ts' : './json-worker.js', import.meta.url);

export interface ReadJsonOptions {
  /** A list in the outermost object that may be long: its elements are read one by one, with others let in between. */
  listKey?: string | undefined;
}

export interface JsonReader {
  /**
   * Looks at the bytes and refuses what is beyond the limits. Long ones have been to a thread and back: the caller's view
   * is empty, and `bytes` are the same bytes again. `parse` throws what `isNotJson` knows for what is no JSON.
   */
  open(bytes: Uint8Array, options?: ReadJsonOptions): Promise<{ bytes: Uint8Array; parse(): Promise<unknown> }>;
  close(): Promise<void>;
}

/**
 * The one reader of JSON that others sent. Nesting and the number of values are bounded before anything is made of them;
 * where the text is long that look is taken in a thread, which starts with the first long text.
 */
export function createJsonReader({ limits = JSON_LIMITS }: { limits?: JsonLimits } = {}): JsonReader {
  let pool: WorkerPool<JsonJobs> | undefined;

  async function measure(
    given: Uint8Array,
    listKey: string | undefined,
  ): Promise<{ bytes: Uint8Array; measure: JsonMeasure }> {
    if (given.length <= INLINE_BYTES) return { bytes: given, measure: measureJson(given, { limits, listKey }) };
    pool ??= openPool();
    const bytes = takeBytes(given);
    const request = { bytes, limits, ...(listKey === undefined ? {} : { listKey }) };
    return pool.run({ kind: 'measure', request }, { transfer: [bytes.buffer] });
  }

  return {
    async open(given, { listKey } = {}) {
      const measured = await measure(given, listKey);
      const { bytes } = measured;
      const { excess, elements } = measured.measure;
      if (excess !== undefined) throw refuse(excess, limits);
      const isWhole = elements === undefined || listKey === undefined;
      return { bytes, parse: async () => (isWhole ? parse(bytes) : parsePieces(bytes, elements, listKey)) };
    },
    async close() {
      await pool?.close();
    },
  };
}

const openPool = (): WorkerPool<JsonJobs> =>
  createWorkerPool<JsonJobs>({
    ...{ workerUrl: WORKER_URL, size: 1, jobTimeoutMs: JOB_TIMEOUT_MS, jobsPerWorker: 2, startsAhead: false },
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB, maxYoungGenerationSizeMb: 4 },
    toError: ({ detail, cause }) =>
      new LachesisError({
        code: 'unavailable',
        message: `the body could not be read: ${detail}`,
        hint: 'Nothing was acknowledged; send the same request again.',
        retryAfterSeconds: 1,
        cause,
      }),
  });

/** As `parse` of the whole, which it is made of: the text around the list, and each element. */
async function parsePieces(bytes: Uint8Array, elements: Uint32Array, listKey: string): Promise<unknown> {
  const [start = 0, end = bytes.length] = [elements[0], elements.at(-1)];
  const frame = parse(Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])) as Record<string, unknown>;
  const breathe = createBreather();
  const list: unknown[] = [];
  const isEmpty = elements.length === 2 && isBlank(bytes.subarray(start, end));
  const last = isEmpty ? 0 : elements.length;
  for (let index = 0; index < last; index += 2) {
    list.push(parse(bytes.subarray(elements[index], elements[index + 1])));
    await breathe();
  }
  return { ...frame, [listKey]: list };
}

const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 32 || (byte >= 9 && byte <= 13));

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new LachesisError({ code: 'bad-request', message: NOT_JSON, cause });
  }
}

const NOT_JSON = 'the body is not JSON';

/** Whether an error of the reader says that the text is no JSON at all. */
export const isNotJson = (error: unknown): boolean => LachesisError.isInstance(error) && error.message === NOT_JSON;

function refuse(excess: keyof JsonLimits, limits: JsonLimits): LachesisError {
  if (excess === 'depth') {
    return new LachesisError({
      code: 'bad-request',
      message: `the body nests deeper than ${limits.depth} levels`,
      hint: 'Send deep structures as text.',
    });
  }
  const what = { containers: 'objects and lists', values: 'values', elements: 'elements in its list' }[excess];
  return new LachesisError({
    code: 'too-large',
    message: `the body holds more than ${limits[excess]} ${what}`,
    hint: 'Send it in several requests.',
  });
}
