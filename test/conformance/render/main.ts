/**
 * Makes the goldens of this folder with the real transformers: `node --conditions=lachesis-source main.ts`. Run it when the
 * generator or the pinned version changes, and read the difference before you commit it.
 */
import { findTransformersPython } from '../../peers/transformers/run-renderer.ts';
import { askPython } from './ask-python.ts';
import { families } from './families.ts';
import { type FamilyGoldens, digestAnswer, digestIds, writeGoldens } from './goldens.ts';
import { makeConversations, makeForgeries } from './make-conversations.ts';
import { makeMaskCases } from './mask-cases.ts';
import { templateLines } from './templates.ts';

const TRANSFORMERS = '5.22.2';
const SAMPLES = 3;

const python = findTransformersPython();
if (python === undefined)
  throw new Error('LACHESIS_TRANSFORMERS_PYTHON is not set: run .ci/setup, then `. .ci/env.sh`');

for (const family of families) {
  if (family.directory === undefined) {
    console.log(`${family.name}: not on this machine, its goldens stay as they are`);
    continue;
  }
  const conversations = makeConversations(family);
  const forgeries = makeForgeries(family);
  const answers = await askPython(
    python,
    [...conversations, ...forgeries].map(({ json }) => json),
  );
  const goldens: FamilyGoldens = {
    transformers: TRANSFORMERS,
    conversations: answers.slice(0, conversations.length).map(digestAnswer),
    forgeries: answers.slice(conversations.length).map(digestAnswer),
    samples: Object.fromEntries(
      answers.slice(0, SAMPLES).flatMap(({ ids }, index) => (ids === undefined ? [] : [[String(index), ids]])),
    ),
  };
  await writeGoldens(family.name, goldens);
  console.log(
    `${family.name}: ${answers.length} answers, ${answers.filter(({ error }) => error !== undefined).length} refusals`,
  );
}

await writeGoldens('templates', await askPython(python, templateLines));
const masks = await askPython(
  python,
  makeMaskCases().cases.map(({ line }) => line),
);
await writeGoldens(
  'masks',
  masks.map(({ ids = [], mask = [] }) => digestIds([...ids, ...mask])),
);
