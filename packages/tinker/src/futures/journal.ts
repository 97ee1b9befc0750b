import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { OnTinkerEvent } from '../events.ts';

/** Where the journal is kept. */
export interface JournalFile {
  /** The whole text so far; empty when there is none. */
  read(): string;
  /** Adds text at the end, before it returns. */
  append(text: string): void;
}

/** A line of the journal. Lines are added and never changed. */
export type JournalEntry =
  | { kind: 'session'; sessionId: string; baseUrl: string }
  | { kind: 'session-closed'; sessionId: string }
  | { kind: 'model'; sessionId: string; modelId: string; baseModel: string; rank: number | undefined }
  | { kind: 'model-closed'; modelId: string }
  | { kind: 'submitted'; modelId: string; seqId: number; requestId: string; operation: string; binary: boolean }
  | { kind: 'settled'; requestId: string };

/** A job whose result nobody has read yet. */
export type PendingJob = Omit<Extract<JournalEntry, { kind: 'submitted' }>, 'kind'>;

export interface OpenModel {
  modelId: string;
  sessionId: string;
  baseModel: string;
  rank: number | undefined;
  /** The number the next request of this model takes. */
  nextSeqId: number;
}

export interface JournalState {
  pending: PendingJob[];
  models: OpenModel[];
}

export const openJournalFile = (path: string): JournalFile => ({
  read: () => (existsSync(path) ? readFileSync(path, 'utf8') : ''),
  // Synchronous: after a kill on the next line the request is either in the file or was never told to anybody. A power cut
  // may lose the last lines; the sequence is then found again by asking the server.
  append: (text) => appendFileSync(path, text, { mode: 0o600 }),
});

/** Remembers which requests a server has taken, so that a process that was killed can be continued by another. */
export class Journal {
  readonly #file: JournalFile;
  readonly #onEvent: OnTinkerEvent;
  #endsCleanly: boolean | undefined;

  constructor({ file, onEvent }: { file: JournalFile; onEvent: OnTinkerEvent }) {
    this.#file = file;
    this.#onEvent = onEvent;
  }

  write(entry: JournalEntry): void {
    this.#endsCleanly ??= isComplete(this.#file.read());
    // A process that died inside a write leaves half a line; the new one must not become its tail.
    this.#file.append(`${this.#endsCleanly ? '' : '\n'}${JSON.stringify(entry)}\n`);
    this.#endsCleanly = true;
  }

  /** What is open for this server: models, and jobs whose results were not read. */
  read(baseUrl: string): JournalState {
    const pending = new Map<string, PendingJob>();
    const models = new Map<string, OpenModel>();
    const sessions = new Set<string>();
    for (const [index, line] of this.#file.read().split('\n').entries()) {
      if (line === '') continue;
      const entry = parseLine(line);
      if (entry === undefined) this.#onEvent({ type: 'journal-line-skipped', line: index + 1 });
      else applyEntry(entry, { pending, models, sessions, baseUrl });
    }
    return {
      pending: [...pending.values()].filter(({ modelId }) => models.has(modelId)),
      models: [...models.values()],
    };
  }
}

interface Reading {
  pending: Map<string, PendingJob>;
  models: Map<string, OpenModel>;
  sessions: Set<string>;
  baseUrl: string;
}

function applyEntry(entry: JournalEntry, { pending, models, sessions, baseUrl }: Reading): void {
  switch (entry.kind) {
    case 'session':
      if (entry.baseUrl === baseUrl) sessions.add(entry.sessionId);
      return;
    case 'session-closed':
      for (const model of models.values()) if (model.sessionId === entry.sessionId) models.delete(model.modelId);
      return;
    case 'model':
      if (!sessions.has(entry.sessionId)) return;
      models.set(entry.modelId, {
        modelId: entry.modelId,
        sessionId: entry.sessionId,
        baseModel: entry.baseModel,
        rank: entry.rank,
        nextSeqId: 1,
      });
      return;
    case 'model-closed':
      models.delete(entry.modelId);
      return;
    case 'submitted': {
      const model = models.get(entry.modelId);
      if (model === undefined) return;
      model.nextSeqId = Math.max(model.nextSeqId, entry.seqId + 1);
      const { kind: _kind, ...job } = entry;
      pending.set(entry.requestId, job);
      return;
    }
    case 'settled':
      pending.delete(entry.requestId);
  }
}

const isComplete = (text: string): boolean => text === '' || text.endsWith('\n');

/** A line that was cut by a crash is no entry. */
function parseLine(line: string): JournalEntry | undefined {
  try {
    const value = JSON.parse(line) as JournalEntry | null;
    return typeof value === 'object' && value !== null && typeof value.kind === 'string' ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
