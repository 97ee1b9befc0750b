import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { readHermesDatabase } from './read-hermes-database.ts';
import { readHermesSessions } from './read-hermes-sessions.ts';

const folder = await mkdtemp(join(tmpdir(), 'lachesis-hermes-'));
afterAll(() => rm(folder, { recursive: true }));

const CALLS = '[{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\\"x\\": 1.0}"}}]';
const expected = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'hi' },
  {
    role: 'assistant',
    content: '',
    reasoning_content: 'hm',
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"x": 1.0}' } }],
  },
  { role: 'tool', content: [{ type: 'text', text: 'seen' }], tool_call_id: 'c1', name: 'look' },
  { role: 'assistant', content: 'done' },
];

test('an exported session is a conversation with its system prompt, thinking and calls', async () => {
  const session = {
    id: 's1',
    model: 'm',
    system_prompt: 'Be brief.',
    started_at: 1_700_000_000.5,
    title: 'A talk',
    messages: [
      { role: 'session_meta', content: '{}' },
      { role: 'user', content: 'hi', active: 1 },
      { role: 'user', content: 'taken back', active: 0 },
      { role: 'assistant', content: '', reasoning: 'hm', tool_calls: JSON.parse(CALLS) as unknown },
      { role: 'tool', content: [{ type: 'text', text: 'seen' }], tool_call_id: 'c1', tool_name: 'look' },
      { role: 'assistant', content: 'done', reasoning: null },
    ],
  };
  const [result] = await Array.fromAsync(readHermesSessions(`${JSON.stringify(session)}\n`));
  expect(result).toMatchObject({
    record: {
      id: 'hermes/s1',
      model: 'm',
      timestamp: '2023-11-14T22:13:20.500Z',
      completed: true,
      messages: expected,
      extra: { hermes: { title: 'A talk' } },
    },
    repairs: [{ kind: 'note-of-the-program' }],
  });
});

test('the database gives the same, while another process has it open', async () => {
  const path = join(folder, 'state.db');
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE sessions (id TEXT PRIMARY KEY, model TEXT, system_prompt TEXT, started_at REAL);
    CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_calls TEXT, tool_call_id TEXT,
      tool_name TEXT, reasoning TEXT, active INTEGER);
    INSERT INTO sessions VALUES ('s1', 'm', 'Be brief.', 1700000000.5), ('s2', 'm', NULL, 1);`);
  const add = database.prepare('INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)');
  add.run('s1', 'user', 'hi', null, null, null, null, 1);
  add.run('s1', 'user', 'taken back', null, null, null, null, 0);
  add.run('s1', 'assistant', '', CALLS, null, null, 'hm', 1);
  add.run('s1', 'tool', '\u0000json:[{"type": "text", "text": "seen"}]', null, 'c1', 'look', null, 1);
  add.run('s1', 'assistant', 'done', null, null, null, null, 1);
  const results = await Array.fromAsync(readHermesDatabase({ path }));
  expect(results).toMatchObject([
    { problem: { at: 'session s2', reason: 'session s2 has no messages' } },
    { record: { id: 'hermes/s1', messages: expected } },
  ]);
  database.close();
});
