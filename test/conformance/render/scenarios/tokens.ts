import { loadTokenizer } from '@lachesis/sdk/render';

import { findTransformersPython } from '../../../peers/transformers/run-renderer.ts';
import { chooseSlice } from '../../../kit/choose-slice.ts';
import type { Scenario, ScenarioContext } from '../../../scenarios/scenario.ts';
import { askPython } from '../ask-python.ts';
import { type FamilyCase, families } from '../families.ts';
import { type FamilyGoldens, digestAnswer, digestIds, digestRefusal, readGoldens } from '../goldens.ts';
import { makeConversations, makeForgeries } from '../make-conversations.ts';
import { renderCase } from '../render-case.ts';

const CONVERSATIONS = 2000;
/** Families for which Python is asked again in the short form; the others are held against what it answered before. */
const ASKED_AGAIN = 3;

export const tokensScenario: Scenario = {
  name: 'tokens',
  title: 'the ids of Python transformers on the same tokenizers, templates and conversations',
  async run(context) {
    const python = findTransformersPython();
    if (python === undefined) context.log('LACHESIS_TRANSFORMERS_PYTHON is not set: goldens only, no live Python');
    const known = families.filter(({ directory }) => directory !== undefined);
    const asked = new Set(python === undefined ? [] : context.full ? known : chooseSlice(known, ASKED_AGAIN));
    let cases = 0;
    let mismatches = 0;
    let forgeries = 0;
    let forged = 0;
    for (const family of families) {
      if (family.directory === undefined) {
        context.log(`${family.name}: not on this machine`);
        continue;
      }
      const result = await compareFamily(context, family, asked.has(family) ? python : undefined);
      cases += result.conversations.length;
      forgeries += result.forgeries.length;
      mismatches += countDifferent(result.conversations);
      forged += countDifferent(result.forgeries);
    }
    const by = `goldens, and live Python for ${asked.size} of ${known.length} families`;
    context.report({
      name: 'ids',
      figure: `${mismatches} mismatches in ${cases} conversations (${by})`,
      bar: `0 in at least ${CONVERSATIONS}`,
      ok: mismatches === 0 && cases >= CONVERSATIONS,
    });
    context.report({
      name: 'forged markers',
      figure: `${forged} mismatches with sanitize_control_tokens in ${forgeries} conversations (${by})`,
      bar: '0 in at least 300',
      ok: forged === 0 && forgeries >= 300,
    });
  },
};

interface Compared {
  readonly name: string;
  readonly isSame: boolean;
}

const countDifferent = (compared: readonly Compared[]): number => compared.filter(({ isSame }) => !isSame).length;

async function compareFamily(
  context: ScenarioContext,
  family: FamilyCase,
  python: string | undefined,
): Promise<{ conversations: Compared[]; forgeries: Compared[] }> {
  const tokenizer = await loadTokenizer({ directory: family.directory ?? '' });
  const goldens = await readGoldens<FamilyGoldens>(family.name);
  const made = { conversations: makeConversations(family), forgeries: makeForgeries(family) };
  const all = [...made.conversations, ...made.forgeries];
  const golden = [...goldens.conversations, ...goldens.forgeries];
  const live =
    python === undefined
      ? golden
      : (
          await askPython(
            python,
            all.map(({ json }) => json),
          )
        ).map(digestAnswer);
  const compared: Compared[] = [];
  for (const [index, { name, json }] of all.entries()) {
    const ids = await renderCase(tokenizer, json);
    const ours = ids === undefined ? digestRefusal() : digestIds(ids);
    const isSame = ours === golden[index] && ours === live[index];
    if (!isSame) context.log(`${name}: ours ${ours}, golden ${golden[index]}, live ${live[index]}`);
    compared.push({ name, isSame });
  }
  const conversations = compared.slice(0, made.conversations.length);
  const forgeries = compared.slice(made.conversations.length);
  context.log(`${family.name}: ${conversations.length} conversations, ${forgeries.length} forgeries`);
  return { conversations, forgeries };
}
