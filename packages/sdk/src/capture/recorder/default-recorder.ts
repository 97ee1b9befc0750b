import { createRecorder, type Recorder, type RecorderOptions } from './create-recorder.ts';
import type { RecordLabels } from './record-draft.ts';

/** How the one-line recorders are told where to record, and with which labels. */
export type RecordOptions = RecordLabels & {
  /** A recorder of the application's own; without one, all of a process share one. */
  recorder?: Recorder | undefined;
} & Pick<RecorderOptions, 'home' | 'url' | 'token'>;

const shared = new Map<string, Recorder>();

/** The recorder of this process for a home and a server. */
export function findRecorder({ recorder, home, url, token }: RecordOptions = {}): Recorder {
  if (recorder !== undefined) return recorder;
  const key = JSON.stringify([home, url]);
  const known = shared.get(key);
  if (known !== undefined) return known;
  const made = createRecorder({ home, url, token });
  shared.set(key, made);
  return made;
}

/** The labels of the options, without the rest. */
export function labelsOf({ trajectory, user, tags, consent, metadata }: RecordOptions = {}): RecordLabels {
  return { trajectory, user, tags, consent, metadata };
}
