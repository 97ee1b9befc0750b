import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { CommandAnswer, CommandTypist } from '../../kit/command-typist.ts';
import { FILES, type Step } from './commands.ts';
import { leaveCall, writeRows } from './make-home.ts';

/** Where a story is lived through: a home of this machine, or a server. */
export interface Side {
  readonly typist: CommandTypist;
  /** The home whose outbox applications of this side write into. */
  readonly home: string;
  /** Where the commands are typed, and write their files. */
  readonly folder: string;
  /** What says where the library is, by flags or by variables; told the number of the step. */
  place(index: number): { flags: readonly string[]; env: Readonly<Record<string, string | undefined>> };
}

export interface SideAnswer extends Pick<CommandAnswer, 'code' | 'error' | 'out'> {
  readonly file: string;
}

/** Lives through the story from its first step to its last. */
export async function liveThrough(side: Side, steps: readonly Step[]): Promise<SideAnswer[]> {
  const answers: SideAnswer[] = [];
  const toPlain = createPlainText(side);
  let last: Record<string, unknown> = {};
  for (const [index, { words, leave, brings, writes }] of steps.entries()) {
    if (leave !== undefined) await leaveCall(side.home, leave);
    if (brings !== undefined) await writeRows(join(side.folder, brings), FILES[brings]);
    const { flags, env } = side.place(index);
    const meant = words.map((word) => (word.startsWith('@') ? String(last[word.slice(1)]) : word));
    const typed = { words: [...meant, '--json', ...flags], env, cwd: side.folder };
    const { code, out, error } = await side.typist.type(typed);
    const file = writes === undefined || code !== 0 ? '' : await readFile(join(side.folder, writes), 'utf8');
    answers.push({ code, out: toPlain(out), error: toPlain(error), file: toPlain(file) });
    last = readJson(out);
  }
  return answers;
}

/** An id, or the digest of rows that have ids: what the rows say is in the files. */
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{64}\b/g;
/** So long before a command was typed. */
const AGO = /"(since|until)":\d{13}/g;
/** Milliseconds since 1970 of these years, as JSON has them. */
const TIME = /(?<=[:[,])1[789]\d{11}(?=[,\]}])/g;

/** It says behind which id and time the next page begins. */
const CURSOR = /"next_cursor":"([\w-]+)"/g;

/** What a side made by itself has ids and times of its own: an id is named by when it was first seen, a time of this run is a time. */
function createPlainText({ folder }: Side): (text: string) => string {
  const began = Date.now();
  const seen = new Map<string, string>();
  return (text) =>
    text
      .replaceAll(CURSOR, (_, cursor: string) => `"next_cursor":${Buffer.from(cursor, 'base64url').toString()}`)
      .replaceAll(AGO, '"$1":<ago>')
      .replaceAll(folder, '<folder>')
      .replaceAll(ID, (id) => {
        if (!seen.has(id)) seen.set(id, `<id ${seen.size + 1}>`);
        return seen.get(id) ?? '';
      })
      .replaceAll(TIME, (time) => (Number(time) >= began ? '<time>' : time));
}

function readJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    // A refusal says nothing here.
    return {};
  }
}

/** Output, files and exit code; and what was refused, in the same words. */
export const isSame = (left: SideAnswer | undefined, right: SideAnswer | undefined): boolean =>
  left !== undefined &&
  left.code === right?.code &&
  left.out === right.out &&
  left.file === right.file &&
  (left.code === 0 || left.error === right.error);

export const show = (answer: SideAnswer | undefined): string =>
  `${answer?.code} ${answer?.out.slice(0, 1_500)} ${answer?.error.slice(0, 500)} ${answer?.file.slice(0, 500)}`;
