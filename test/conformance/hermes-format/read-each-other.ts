import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import type { ConversationRecord } from '@lachesis/protocol';
import { type ReadResult, readHermesDatabase, readHermesSessions, readShareGpt } from '@lachesis/data';
import { formatShareGptLine } from '../../../packages/data/src/export/sharegpt/write-sharegpt.ts';

import type { ScenarioLine } from '../../scenarios/scenario.ts';
import type { HermesAnswer, SavedConversation } from './hermes-answers.ts';
import { factsOf } from './message-facts.ts';

type Of<K extends HermesAnswer['kind']> = Extract<HermesAnswer, { kind: K }>;

const recordsOf = (results: readonly ReadResult<ConversationRecord>[]): ConversationRecord[] =>
  results.flatMap((result) => ('record' in result ? [result.record] : []));

/** Files that Hermes saved, read by us: every conversation once and whole, and written again as it stood. */
export async function checkTheirs(home: string, saved: readonly SavedConversation[]): Promise<ScenarioLine[]> {
  const files = await Promise.all(
    ['trajectory_samples.jsonl', 'failed_trajectories.jsonl'].map((name) => readFile(join(home, name), 'utf8')),
  );
  // The lists of odd messages were appended to the same files; the scripted conversations name their questions.
  const lines = files
    .join('')
    .split('\n')
    .filter((line) => line.includes('"#q'));
  const results = await Array.fromAsync(readShareGpt(`${lines.join('\n')}\n`));
  const records = recordsOf(results);
  const found = new Set(records.map(({ messages }) => JSON.stringify(factsOf(messages))));
  const ends = new Map(saved.filter((one) => one.saved.length > 0).map((one) => [one.id, one]));
  const lost = [...ends.values()].filter(({ messages }) => !found.has(JSON.stringify(factsOf(messages))));
  const nested = results
    .flatMap((result) => ('record' in result ? result.repairs : []))
    .filter(({ kind }) => kind === 'nested-duplicate').length;

  const plain = recordsOf(await Array.fromAsync(readShareGpt(`${lines.join('\n')}\n`, { repair: false })));
  const again = plain.map((record) => formatShareGptLine(record));
  const changed = again.filter((line, at) => line !== lines[at]).length;

  const members = Buffer.concat(lines.map((line) => gzipSync(`${line}\n`)));
  const zipped = recordsOf(await Array.fromAsync(readShareGpt(members)));
  return [
    {
      name: 'its files read by us',
      figure: `${records.length} conversations of ${lines.length} lines, ${lost.length} not as they were, ${nested} nested ones left out`,
      bar: `${ends.size}, 0, ${lines.length - ends.size}`,
      ok: records.length === ends.size && lost.length === 0 && nested === lines.length - ends.size,
    },
    {
      name: 'its files read and written again',
      figure: `${changed} of ${lines.length} lines changed, first element and time included`,
      bar: '0',
      ok: changed === 0 && plain.length === lines.length,
    },
    {
      name: 'its files as gzip members',
      figure: `${zipped.length} conversations from ${lines.length} members`,
      bar: `${records.length}`,
      ok: JSON.stringify(zipped) === JSON.stringify(records),
    },
  ];
}

/** Its sessions: the export and the database itself hold what was said. */
export async function checkSessions(home: string, saved: readonly SavedConversation[]): Promise<ScenarioLine[]> {
  const sources = {
    'its sessions export': readHermesSessions(await readFile(join(home, 'sessions.jsonl'))),
    'its session database': readHermesDatabase({ path: join(home, 'state.db') }),
  };
  const ends = new Map(saved.flatMap((one) => (one.session === null ? [] : [[`hermes/${one.session}`, one] as const])));
  const lines: ScenarioLine[] = [];
  for (const [name, source] of Object.entries(sources)) {
    const results = await Array.fromAsync(source);
    const records = new Map(recordsOf(results).map((record) => [record.id, record]));
    const lost = [...ends].filter(([id, { messages }]) => {
      const said = records.get(id)?.messages.filter(({ role }) => role !== 'system') ?? [];
      return JSON.stringify(factsOf(said)) !== JSON.stringify(factsOf(messages));
    });
    lines.push({
      name,
      figure: `${ends.size} sessions, ${lost.length} not as they were`,
      bar: '≥ 1, 0',
      ok: ends.size > 0 && lost.length === 0,
    });
  }
  return lines;
}

/** A file of its batch runner, read and written again. */
export async function checkBatch(text: string): Promise<ScenarioLine> {
  const lines = text.split('\n').filter((line) => line !== '');
  const records = recordsOf(await Array.fromAsync(readShareGpt(text)));
  const changed = records.filter((record, at) => formatShareGptLine(record, { shape: 'batch' }) !== lines[at]).length;
  return {
    name: 'its batch file read and written again',
    figure: `${changed} of ${lines.length} lines changed`,
    bar: '0 of ≥ 1',
    ok: lines.length > 0 && changed === 0 && records.length === lines.length,
  };
}

/** Our files in its hands: the reader with which its batch runner resumes, and its compressor. */
export async function checkOurs(
  ours: readonly ConversationRecord[],
  [resume]: readonly Of<'resume'>[],
  compressed: readonly Of<'compressed'>[],
): Promise<ScenarioLine[]> {
  // It takes blank prompts for none, and strips the others.
  const prompts = ours.map(({ messages: [first] }) => (typeof first?.content === 'string' ? first.content.trim() : ''));
  const asked = new Set(prompts.filter((text) => text !== ''));
  const found = new Set(resume?.prompts.map((prompt) => prompt.trim()));
  const missing = [...asked].filter((prompt) => !found.has(prompt)).length;
  const folded = compressed.filter(({ was_compressed }) => was_compressed).length;
  const back = recordsOf(await Array.fromAsync(readShareGpt(compressed.map(({ line }) => `${line}\n`).join(''))));
  const untouched = compressed.filter(({ was_compressed, line }, at) => {
    if (was_compressed) return false;
    return line !== formatShareGptLine(ours[at] as ConversationRecord);
  }).length;
  return [
    {
      name: 'our batch file read by its runner',
      figure: `${missing} of ${asked.size} prompts not found`,
      bar: '0',
      ok: asked.size > 0 && missing === 0,
    },
    {
      name: 'our file read by its compressor',
      figure: `${compressed.length} entries, ${folded} shortened, ${untouched} of the others changed, ${back.length} read back by us`,
      bar: `${ours.length}, ≥ 10, 0, ${ours.length}`,
      ok: compressed.length === ours.length && folded >= 10 && untouched === 0 && back.length === ours.length,
    },
  ];
}
