import { DatabaseSync } from 'node:sqlite';
import type { ConversationRecord } from '@lachesis/protocol';
import type { PythonJsonValue } from '@lachesis/sdk/render';
import type { ReadResult } from '../../records/read-result.ts';
import { toSessionRecord } from './to-session-record.ts';

export interface ReadHermesDatabaseOptions {
  /** `state.db` in the home of Hermes. It is opened for reading, also while Hermes runs. */
  readonly path: string;
}

/** Every session of Hermes' own database, oldest first. */
export async function* readHermesDatabase({
  path,
}: ReadHermesDatabaseOptions): AsyncGenerator<ReadResult<ConversationRecord>> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const messages = database.prepare('SELECT * FROM messages WHERE session_id = ? ORDER BY id');
    // Columns come and go between versions; what is there is read.
    for (const session of database.prepare('SELECT * FROM sessions ORDER BY started_at, id').iterate()) {
      const rows = messages.all(session['id'] ?? null);
      const read = toSessionRecord(session as PythonJsonValue, rows as PythonJsonValue[]);
      yield typeof read === 'string' ? { problem: { at: `session ${String(session['id'])}`, reason: read } } : read;
    }
  } finally {
    database.close();
  }
}
