import type { TrainerSection } from '@lachesis/protocol';
import { createTinkerClient } from '@lachesis/tinker';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ModelScope } from '../../../models/find-start.ts';
import { findTokenizer } from '../../../models/find-tokenizer.ts';
import { openJournal } from '../../engine/open-journal.ts';
import { pinStart } from '../pin-start.ts';
import type { Reference } from '../rlhf/open-reference.ts';
import { openTeacher } from './open-teacher.ts';
import { readDistillation } from './read-distillation.ts';

/** The teacher of a run, with the real parts; undefined for a recipe without one. A name stays what it meant when the run began. */
export async function openRunTeacher(
  options: ModelScope & {
    section: TrainerSection;
    student: { baseModel: string };
    run: string;
    /** That of the run. */
    directory: string;
    /** Undefined for the managed service. */
    engineUrl: string | undefined;
    env: Readonly<Record<string, string | undefined>>;
    log: Logger;
    signal: AbortSignal;
  },
): Promise<Reference | undefined> {
  const { section, student, directory, engineUrl, env, log, signal } = options;
  const { teacher } = section;
  if (!readDistillation(section).hasTeacher || !teacher) return undefined;
  return await openTeacher({
    ...{ section: teacher, student, rank: section.lora_rank, env, log, loadTokenizer: findTokenizer },
    journal: openJournal(join(directory, 'teacher-journal.jsonl')),
    connect: async ({ baseUrl, apiKey, journal }) =>
      await createTinkerClient({
        ...{ baseUrl: baseUrl ?? engineUrl, apiKey, journalFile: journal, env },
        onEvent: (event) => log.debug({ event }, 'teacher'),
      }).connect({ signal }),
    findState: async (ref) =>
      (await pinStart({ ...options, given: ref, file: join(directory, 'teacher.json'), setting: 'teacher.model' })) ??
      ref,
  });
}
