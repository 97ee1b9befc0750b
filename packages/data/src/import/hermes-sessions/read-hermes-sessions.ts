import type { ConversationRecord } from '@lachesis/protocol';
import type { PythonJsonValue } from '@lachesis/sdk/render';
import { memberOf } from '../../records/python/parse-python-json.ts';
import type { ReadResult } from '../../records/read-result.ts';
import { readRows } from '../lines/read-rows.ts';
import type { Source } from '../lines/source.ts';
import { toSessionRecord } from './to-session-record.ts';

/** The JSONL of `hermes sessions export`: one session a line, with its messages. */
export async function* readHermesSessions(source: Source): AsyncGenerator<ReadResult<ConversationRecord>> {
  for await (const row of readRows(source)) {
    if ('problem' in row) {
      yield { problem: { at: row.at, reason: row.problem } };
      continue;
    }
    const messages = memberOf(row.value, 'messages');
    const read = Array.isArray(messages)
      ? toSessionRecord(row.value, messages as readonly PythonJsonValue[])
      : 'it has no list "messages"; give the JSONL of `hermes sessions export`';
    yield typeof read === 'string' ? { problem: { at: row.at, reason: read } } : read;
  }
}
