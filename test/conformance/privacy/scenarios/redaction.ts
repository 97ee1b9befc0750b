import path from 'node:path';
import { createRedactor, type Redactor } from '@lachesis/protocol';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { assess } from '../assess.ts';
import { makeHostileTexts } from '../hostile-texts.ts';
import { createQuadraticRedactor, withoutKind } from '../mutants.ts';
import { readOrdinaryTexts } from '../ordinary-texts.ts';
import type { SecretForm } from '../secret-form.ts';
import { makeSecretForms } from '../secret-forms.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const LEAST_FORMS = 150;
const LEAST_RECALL = 0.98;
/** In ten thousand words of ordinary code and prose. */
const MOST_FALSE_ALARMS = 1;
const MOST_MS = 100;
/** Tens of thousands of secrets in a million characters cost what their marks cost; the time is linear all the same. */
const MOST_HOSTILE_MS = 500;
/** Four times the text: linear is four, a table that no longer fits the cache a little more, quadratic sixteen. */
const MOST_GROWTH = 9;
/** What agents and people write; the others are made to be slow, or are nothing but secrets. */
const ORDINARY = new Set(['code of this repository', 'prose', 'an attachment']);
const SEED = 7;
const KINDS = ['api-key', 'password', 'named', 'authorization', 'jwt', 'private-key', 'random', 'secret', 'webhook'];

const open = (known: readonly string[]): Redactor => createRedactor({ secrets: known });

export const redactionScenario: Scenario = {
  name: 'redaction',
  title: 'forms of secrets in messages, calls and results: found, ordinary text left alone, in linear time',
  async run(context) {
    // First: the redactors with a rule taken out, which come later, leave the engine's compiler with other shapes.
    await showTime(context);
    showRecall(context, makeSecretForms(SEED));
    showFalseAlarms(context);
  },
};

function showRecall(context: ScenarioContext, forms: readonly SecretForm[]): void {
  const { cases, missed, recall, unseen } = assess(forms, open);
  for (const { form, place, kept } of missed) context.log(`missed in ${place}: ${form.name}: ${kept.slice(0, 200)}`);
  const groups = [...new Set(forms.map(({ group }) => group))].map(
    (group) => `${forms.filter((form) => form.group === group).length} ${group}`,
  );
  context.report({
    name: 'forms',
    figure: `${forms.length} (${groups.join(', ')})`,
    bar: `≥ ${LEAST_FORMS}`,
    ok: forms.length >= LEAST_FORMS,
  });
  context.report({
    name: 'recall',
    figure: `${recall.toFixed(4)} of ${cases} cases in messages, sentences, calls and results; ${unseen.length} forms seen nowhere`,
    bar: `≥ ${LEAST_RECALL}, 0`,
    ok: recall >= LEAST_RECALL && unseen.length === 0,
  });
  const caught = KINDS.filter((kind) => {
    const without = assess(forms, (known) => withoutKind(open(known), kind), 1);
    return without.recall < LEAST_RECALL || without.unseen.length > 0;
  });
  context.report({
    name: 'mutants without one kind of rule',
    figure: `${caught.length} of ${KINDS.length} caught`,
    bar: 'all',
    ok: caught.length === KINDS.length,
  });
}

function showFalseAlarms(context: ScenarioContext): void {
  const redactor = open([]);
  let [words, found] = [0, 0];
  const texts = readOrdinaryTexts(root);
  for (const { name, text } of texts) {
    words += text.match(/\S+/g)?.length ?? 0;
    const redacted = redactor.redactText(text);
    if (redacted.found > 0) context.log(`${redacted.found} in ${name}`);
    found += redacted.found;
  }
  const share = (found / words) * 10_000;
  context.report({
    name: 'false alarms',
    figure: `${share.toFixed(2)} in 10,000 words (${found} in ${words} words of ${texts.length} sources, pages and licences)`,
    bar: `≤ ${MOST_FALSE_ALARMS}`,
    ok: share <= MOST_FALSE_ALARMS && words > 100_000,
  });
}

async function showTime(context: ScenarioContext): Promise<void> {
  const texts = Object.entries(makeHostileTexts(root));
  const runs = context.full ? 11 : 5;
  const openKnowing = (): Redactor => createRedactor({ secrets: ['aaaaaaaaaaaaaaaab1', 'kx-77-value'] });
  const times = new Map<string, number>();
  let steepest = { name: 'none', growth: 0 };
  // Ordinary text first: a server has long compiled what it runs all day.
  for (const [, text] of texts) leastTime(openKnowing, text.slice(0, text.length / 10), 3);
  for (const [name, text] of texts) {
    const ms = leastTime(openKnowing, text, ORDINARY.has(name) ? 2 * runs : runs);
    const quarter = leastTime(openKnowing, text.slice(0, text.length / 4), runs);
    times.set(name, ms);
    if (ms > MOST_MS / 2 && ms / quarter > steepest.growth) steepest = { name, growth: ms / quarter };
    context.log(`${ms.toFixed(0)} ms, a quarter of it ${quarter.toFixed(0)} ms: ${name}`);
    // Others have their turn between two texts.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const ordinary = [...times].filter(([name]) => ORDINARY.has(name)).map(([, ms]) => ms);
  const all = [...times.values()].toSorted((left, right) => left - right);
  context.report({
    name: 'a million characters',
    figure: `${ordinary.map((ms) => ms.toFixed(0)).join(', ')} ms of the processor for ${[...ORDINARY].join(', ')}`,
    bar: `≤ ${MOST_MS} ms each`,
    ok: ordinary.length === ORDINARY.size && Math.max(...ordinary) <= MOST_MS,
  });
  context.report({
    name: 'texts made to be slow',
    figure: `${(times.get('20,000 keys') ?? 0).toFixed(0)} ms for 27,000 keys, slowest of ${texts.length} texts ${(all.at(-1) ?? 0).toFixed(0)} ms; four times the text takes at most ${steepest.growth.toFixed(1)} times as long (${steepest.name})`,
    bar: `≤ ${MOST_HOSTILE_MS} ms, ≤ ${MOST_GROWTH} times`,
    ok: (all.at(-1) ?? 0) <= MOST_HOSTILE_MS && steepest.growth <= MOST_GROWTH,
  });
  const keys = texts.find(([name]) => name === '20,000 keys')?.[1] ?? '';
  const quarter = leastTime(createQuadraticRedactor, keys.slice(0, keys.length / 4), 1);
  const mutant = leastTime(createQuadraticRedactor, keys, 1);
  context.report({
    name: 'mutant that looks again for each secret',
    figure: `${mutant.toFixed(0)} ms, ${(mutant / quarter).toFixed(1)} times a quarter of it`,
    bar: `caught: > ${MOST_HOSTILE_MS} ms and > ${MOST_GROWTH} times`,
    ok: mutant > MOST_HOSTILE_MS && mutant / quarter > MOST_GROWTH,
  });
}

/**
 * Of the processor's time, which a busy machine stretches less than the clock's; the least of the runs, since what else the
 * process does only adds to it. Each run has a redactor of its own, which remembers nothing.
 */
function leastTime(create: () => Redactor, text: string, runs: number): number {
  const times = Array.from({ length: runs }, () => {
    const redactor = create();
    const { user, system } = process.cpuUsage();
    redactor.redactText(text);
    const after = process.cpuUsage();
    return (after.user - user + after.system - system) / 1000;
  });
  return Math.min(...times);
}
