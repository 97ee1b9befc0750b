import type { JournalFile } from '@lachesis/tinker';

/** A request the engine has taken. */
export interface TakenRequest {
  sequence: number;
  /** Such as `forward_backward` or `optim_step`. */
  operation: string;
}

/** The journal of the Tinker client, and what it says about a model. */
export interface WatchedJournal {
  readonly file: JournalFile;
  /** The number the next request of the model gets, as far as the journal knows. */
  nextSequence(modelId: string): number;
  /** What the engine took from this number on. */
  takenSince(modelId: string, sequence: number): TakenRequest[];
}

/** Looks at every line that passes. The file itself is the client's; this only listens. */
export function watchJournal(inner: JournalFile): WatchedJournal {
  const taken = new Map<string, TakenRequest[]>();
  const listen = (text: string): void => {
    for (const line of text.split('\n')) {
      const entry = readSubmission(line);
      if (entry === undefined) continue;
      const requests = taken.get(entry.modelId) ?? [];
      requests.push({ sequence: entry.seqId, operation: entry.operation });
      taken.set(entry.modelId, requests);
    }
  };
  listen(inner.read());
  return {
    file: {
      read: () => inner.read(),
      append: (text) => {
        inner.append(text);
        listen(text);
      },
    },
    nextSequence: (modelId) =>
      (taken.get(modelId) ?? []).reduce((next, { sequence }) => Math.max(next, sequence + 1), 1),
    takenSince: (modelId, from) => (taken.get(modelId) ?? []).filter(({ sequence }) => sequence >= from),
  };
}

interface Submission {
  modelId: string;
  seqId: number;
  operation: string;
}

function readSubmission(line: string): Submission | undefined {
  if (!line.includes('"submitted"')) return undefined;
  try {
    const entry = JSON.parse(line) as Partial<Submission> & { kind?: string };
    if (entry.kind !== 'submitted' || typeof entry.modelId !== 'string' || typeof entry.seqId !== 'number')
      return undefined;
    return { modelId: entry.modelId, seqId: entry.seqId, operation: String(entry.operation) };
  } catch {
    // A line that was cut by a crash is no entry; the client skips it too.
    return undefined;
  }
}
