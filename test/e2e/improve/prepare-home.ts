import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { questions, REPLIES, toPrompt } from './corpus.ts';
import { runLachesis } from './run-lachesis.ts';

export const MODEL = 'talker';

/** Both answers to every question, so often: then the model writes each of them about as often as the other. */
const EPOCHS = 5;

/** From an empty folder to a served model that knows what can be answered, and not what people like. */
export async function prepareHome({ home, engineUrl }: { home: string; engineUrl: string }): Promise<void> {
  const file = join(home, 'talk.jsonl');
  const lines = questions.flatMap((question) =>
    REPLIES.map((reply) =>
      JSON.stringify({
        messages: [
          { role: 'user', content: toPrompt(question) },
          { role: 'assistant', content: reply },
        ],
      }),
    ),
  );
  await writeFile(file, `${lines.join('\n')}\n`);
  const run = (args: readonly string[]) => runLachesis({ home, engineUrl, args });
  await run(['data', 'import', file, '--name', 'talk', '--consent', 'train', '--no-record']);
  const size = ['--lora-rank', '8', '--batch-size', '32', '--epochs', String(EPOCHS)];
  // Falling to 0: what is left of the last steps would be a leaning to one of the answers.
  const rate = ['--learning-rate', '1e-2', '--lr-schedule', 'linear'];
  await run(['train', 'sft', '--dataset', 'talk@1', '--run', 'first', '--model-name', MODEL, ...size, ...rate]);
  await run(['models', 'promote', `${MODEL}@1`, '--reason', 'the first one']);
}
