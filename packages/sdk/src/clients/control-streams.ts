import {
  logEventSchema,
  metricsEventSchema,
  statusEventSchema,
  type RunMetricPoint,
  type StatusEvent,
} from '@lachesis/protocol';
import { ClientError } from './client-error.ts';
import type { ServerEvent } from './event-parser.ts';
import { readEvents, type ReadEventsOptions } from './read-events.ts';

/** Some lines of a log, and the offset behind them. */
export interface LogLines {
  lines: string[];
  /** Where to go on: behind these lines. */
  offset: string | undefined;
}

/** What changed in a run: new points, or its state. */
export type MetricsChange =
  | { kind: 'metrics'; points: RunMetricPoint[]; cursor: string | undefined }
  | { kind: 'status'; status: StatusEvent; cursor: string | undefined };

export async function* readLogEvents(options: ReadEventsOptions): AsyncGenerator<LogLines> {
  for await (const event of readEvents(options)) {
    if (event.event === 'end') return;
    // Kinds that a newer server adds are not ours to read.
    if (event.event !== 'lines') continue;
    yield { lines: parse(event, logEventSchema.parse, options).lines, offset: event.id };
  }
}

export async function* readMetricsEvents(options: ReadEventsOptions): AsyncGenerator<MetricsChange> {
  for await (const event of readEvents(options)) {
    if (event.event === 'end') return;
    if (event.event === 'metrics') {
      yield { kind: 'metrics', points: parse(event, metricsEventSchema.parse, options).points, cursor: event.id };
    } else if (event.event === 'status') {
      yield { kind: 'status', status: parse(event, statusEventSchema.parse, options), cursor: event.id };
    }
  }
}

function parse<T>({ event, data }: ServerEvent, read: (value: unknown) => T, { path }: ReadEventsOptions): T {
  try {
    return read(JSON.parse(data));
  } catch (cause) {
    throw new ClientError({
      code: 'unreadable-reply',
      call: `GET ${path.split('?', 1)[0]}`,
      reason: `an event "${event}" is not what this stream gives. Is the server of another version?`,
      retryable: false,
      cause,
    });
  }
}
