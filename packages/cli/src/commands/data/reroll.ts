import { loadReward } from '@lachesis/sdk/environment';
import { rerollLoneNegatives } from '@lachesis/server';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { failWithSentence } from '../../terminal/fail.ts';
import { readNumber } from '../../flags/read-value.ts';
import { offerSdk } from '../../flags/environment.ts';
import { listenForShutdown } from '../../terminal/shutdown-signals.ts';
import { tenantFlags, withLibrary } from '../../flags/library/library.ts';
import { withModels } from '../../flags/library/models.ts';

const flags = {
  name: { type: 'positional', required: true, description: 'what the set of pairs is called' },
  from: { type: 'string', description: 'data set of rated conversations with tokens: name@version' },
  reward: { type: 'string', description: 'who says what a reply is worth: file.ts or https://…, from 0 to 1' },
  model: { type: 'string', description: 'registered model that writes the new replies (default: the base model)' },
  tokenizer: { type: 'string', description: 'folder or name of the tokenizer (default: that of the base model)' },
  samples: { type: 'string', default: '4', description: 'new replies to try for each' },
  'min-gap': { type: 'string', default: '0.25', description: 'how much better a new reply has to be' },
  'max-tokens': { type: 'string', default: '256', description: 'longest reply' },
  seed: { type: 'string', default: '1', description: 'of the samples' },
  ...tenantFlags,
} as const;

export const dataRerollCommand = defineCommand({
  meta: {
    name: 'reroll',
    description: 'Make pairs of disliked replies: a better one is sampled from the same tokens.',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const from = args.from ?? fail('give the rated conversations: --from name@version.');
    offerSdk();
    const grade = await loadReward({
      from: args.reward ?? fail('give who says what a reply is worth: --reward file.ts or --reward https://….'),
    }).catch(failWithSentence);
    const { signal } = listenForShutdown();
    const { model, tokenizer } = args;
    const numbers = {
      samples: readNumber('samples', args.samples),
      minGap: readNumber('min-gap', args['min-gap']),
      seed: readNumber('seed', args.seed),
    };
    const maxTokens = readNumber('max-tokens', args['max-tokens']);
    const name = args.name;
    await withLibrary(args, async (library) => {
      await withModels(args, async (models) => {
        const rerolled = await rerollLoneNegatives({
          ...{ library, from, name, model, signal, ...numbers },
          sample: (prompts) =>
            models.sampleReplies(
              { prompts, max_tokens: maxTokens, ...(model === undefined ? {} : { model }) },
              { tokenizer, signal },
            ),
          onProgress: (sentence) => void process.stderr.write(`${sentence}\n`),
          async score(prompt, reply) {
            const answer = typeof reply.content === 'string' ? reply.content : '';
            const outcome = await grade({ answer, messages: [...prompt, reply] as never });
            return outcome.kind === 'scored' ? outcome.reward : undefined;
          },
        });
        print(rerolled, args.json === true);
      });
    });
  },
});

function print({ dataset, pairs, skipped }: Awaited<ReturnType<typeof rerollLoneNegatives>>, isJson: boolean): void {
  if (isJson) process.stdout.write(`${JSON.stringify({ dataset: dataset ?? null, pairs, skipped })}\n`);
  else {
    const left = Object.entries(skipped).map(([reason, count]) => `  ${count} without a pair: ${reason}\n`);
    process.stdout.write(
      (dataset === undefined ? 'no pair could be made\n' : `${dataset.name}@${dataset.version}  ${pairs} pairs\n`) +
        left.join(''),
    );
  }
  if (dataset === undefined) process.exitCode = 1;
}
