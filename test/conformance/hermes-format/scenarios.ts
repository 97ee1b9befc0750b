import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { writeShareGpt } from '@lachesis/data';

import { findHermesPython, runHermes } from '../../peers/hermes/run-hermes.ts';
import type { Scenario } from '../../scenarios/scenario.ts';
import { compareLists, compareSaved } from './compare-saved.ts';
import { defects } from './defects.ts';
import type { HermesAnswer } from './hermes-answers.ts';
import { makeConversations } from './make-conversations.ts';
import { makeLists } from './make-lists.ts';
import { mutants } from './mutants.ts';
import { toRecord } from './our-line.ts';
import { checkBatch, checkOurs, checkSessions, checkTheirs } from './read-each-other.ts';
import { startScriptedModel } from './start-scripted-model.ts';

const CONVERSATIONS = 200;
/** Some end with an error, and of those Hermes saves nothing. */
const SCRIPTED = 208;
const LISTS = 300;
const FULL_LISTS = 5_000;
const SESSIONS = 4;
const SEED = 6;
/** Half a minute on two free cores, most of it the client that Hermes makes for each call. */
const TIMEOUT_MS = 300_000;
/** Characters, since the stand-in for the tokenizer counts those: small enough that some of ours have to be shortened. */
const COMPRESS_TO = 700;

/** `pnpm conformance hermes-format`: the real hermes-agent 0.19.0 and ours, on the same messages. */
export const scenarios: Scenario[] = [
  {
    name: 'hermes',
    title: 'what hermes-agent 0.19.0 saves and what we write are the same bytes, and each reads the other',
    async run(context) {
      const python = findHermesPython();
      if (python === undefined) throw new Error('There is no Hermes peer. Run .ci/setup, then . .ci/env.sh');
      const home = await context.scratch();
      const folder = await context.scratch();
      const { conversations, replies } = makeConversations(SCRIPTED, SEED);
      const lists = makeLists(context.full ? FULL_LISTS : LISTS, SEED);
      const ours = lists.slice(0, LISTS).map((list) => toRecord(list, list.id));
      const file = join(folder, 'trajectory_samples.jsonl');
      await mkdir(join(folder, 'batch'));
      await writeFile(file, await Array.fromAsync(writeShareGpt(ours)));
      await writeFile(
        join(folder, 'batch', 'batch_0.jsonl'),
        await Array.fromAsync(writeShareGpt(ours, { shape: 'batch' })),
      );

      await using model = await startScriptedModel(replies);
      const answers = await runHermes({
        python,
        timeoutMs: TIMEOUT_MS,
        job: {
          home,
          base_url: model.baseUrl,
          conversations,
          sessions: SESSIONS,
          lists: [...lists, ...defects.flatMap((defect) => defect.lists)],
          prompts: [...replies]
            .filter(([, said]) => said.every((reply) => !('calls' in reply) && 'reasoning' in reply))
            .slice(0, 3)
            .map(([key]) => ({ prompt: `${key} in a batch` })),
          ours: { file, batch_folder: join(folder, 'batch'), target: COMPRESS_TO },
        },
      });
      const all = answers as HermesAnswer[];
      const pick = <K extends HermesAnswer['kind']>(kind: K) =>
        all.filter((answer): answer is Extract<HermesAnswer, { kind: K }> => answer.kind === kind);
      const saved = pick('conversation');
      const savedLists = pick('list');

      const same = compareSaved(saved);
      for (const { id, theirs, ours: mine } of same.different.slice(0, 5))
        context.log(`${id}\n  Hermes ${theirs}\n  ours   ${mine}`);
      context.report({
        name: 'conversations',
        figure: `${same.conversations} with ${model.calls()} calls of the scripted model, ${same.toolCalls} tool calls; ${same.unsaved} more failed, and Hermes saved nothing of them`,
        bar: `≥ ${CONVERSATIONS}, ≥ 100`,
        ok: same.conversations >= CONVERSATIONS && same.toolCalls >= 100,
      });
      context.report({
        name: 'saved by its agent',
        figure: `${same.different.length} of ${same.lines} lines differ from element 1 on; ${same.overwritten} with history have another first question, as known; tool counts differ in ${same.statsDiffer}`,
        bar: '0, all others the same bytes, 0',
        ok: same.lines > 0 && same.different.length === 0 && same.statsDiffer === 0,
      });
      const listed = compareLists(lists, savedLists);
      for (const { id, theirs, ours: mine } of listed.slice(0, 5))
        context.log(`${id}\n  Hermes ${theirs}\n  ours   ${mine}`);
      context.report({
        name: 'odd messages through its saving',
        figure: `${listed.length} of ${lists.length} lines differ`,
        bar: '0',
        ok: listed.length === 0,
      });
      for (const { name, lists: defective, imitate } of defects) {
        const right = compareLists(defective, savedLists);
        const imitated = compareLists(defective, savedLists, {}, imitate);
        context.report({
          name: `defect: ${name}`,
          figure: `${right.length} of ${defective.length} differ, ${imitated.length} when ours does as Hermes does`,
          bar: 'all, 0',
          ok: right.length === defective.length && imitated.length === 0,
        });
      }
      for (const line of await checkTheirs(home, saved)) context.report(line);
      for (const line of await checkSessions(home, saved)) context.report(line);
      const [batch] = pick('batch');
      if (batch !== undefined) context.report(await checkBatch(await readFile(batch.file, 'utf8')));
      for (const line of await checkOurs(ours, pick('resume'), pick('compressed'))) context.report(line);
      for (const [name, options] of Object.entries(mutants)) {
        const caught = compareSaved(saved, options).different.length + compareLists(lists, savedLists, options).length;
        context.report({ name: `mutant: ${name}`, figure: `caught by ${caught} lines`, bar: '≥ 1', ok: caught > 0 });
      }
    },
  },
];
