/** Records conversations that no client of ours made: another framework's, another language's, or those of last year. */
import { recordTrajectory } from '@lachesis/sdk/capture';

/** Whatever your application has. */
const tickets = [
  {
    id: 'ticket-17',
    question: 'Where is my parcel?',
    answer: 'It is at the depot and comes tomorrow.',
    isSolved: true,
  },
  { id: 'ticket-18', question: 'Cancel my order.', answer: 'Have you tried turning it off and on?', isSolved: false },
];

for (const { id, question, answer, isSolved } of tickets) {
  const key = recordTrajectory({
    trajectory: id, // the same key again, with more messages, continues it
    source: 'help-desk',
    model: 'some-model',
    user: 'customer-4',
    tags: ['support'],
    messages: [
      { role: 'system', content: 'You are the help desk of a shop.' },
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ],
    // An outcome of your own becomes the reward. What went wrong around it (`failed`) never is one.
    reward: isSolved ? 1 : 0,
  });
  console.log(`recorded ${key}`);
}
console.log('`lachesis trajectories list` shows them, `lachesis data export trl` makes training data of them');
