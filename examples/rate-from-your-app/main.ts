/** The thumbs below an answer: an application records what it said, and sends what its users think of it. */
import { createLibraryClient } from '@lachesis/sdk';
import { createRecorder, recordTrajectory } from '@lachesis/sdk/capture';
import { findServerToken } from '@lachesis/sdk/home';

const url = process.env['LACHESIS_URL'];
if (url === undefined) {
  console.error('Set LACHESIS_URL to the address of `lachesis serve control`, and LACHESIS_TOKEN to a token for it.');
  process.exit(2);
}

// LACHESIS_TOKEN, or on the machine of the server the one that its first start left in the home.
const token = findServerToken({ url });
const recorder = createRecorder({ url, token, name: 'my-app' });
const library = createLibraryClient({ url, token });

/** Called when an answer was given. */
function remember(chat: string, question: string, answer: string): void {
  recordTrajectory({
    ...{ recorder, trajectory: chat, source: 'my-app', user: 'customer-4' },
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ],
  });
}

/** Called when somebody presses a thumb. A second press by the same person revises the first. */
async function rate(chat: string, isUp: boolean, comment?: string): Promise<void> {
  const about = { trajectory_id: chat, author: 'customer-4', author_kind: 'person' as const };
  await library.writeFeedback({ ...about, kind: 'thumb', is_up: isUp, key: `thumb-${chat}`, comment });
}

remember('chat-1', 'Where is my parcel?', 'It is at the depot and comes tomorrow.');
remember('chat-2', 'Cancel my order.', 'Have you tried turning it off and on?');
// Here because this program ends at once; an application sends by itself, a moment after it recorded.
await recorder.flush();

await rate('chat-1', true);
await rate('chat-2', true);
await rate('chat-2', false, 'it did not read what I wrote');

const feedback = (await library.listFeedback({ author: 'customer-4' })).filter(
  ({ withdrawn_at }) => withdrawn_at === null,
);
console.log(`ratings: ${feedback.map(({ value }) => value).join(', ')}`);
await recorder.close();
