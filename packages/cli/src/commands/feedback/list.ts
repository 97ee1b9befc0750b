import { AUTHOR_KINDS, FEEDBACK_KINDS, type Feedback, type FeedbackInput } from '@lachesis/protocol';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { cleanLine } from '../../terminal/clean-text.ts';
import { messageText } from '@lachesis/protocol/conversation';
import { readTime } from '../../flags/read-time.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { writeJson } from '../../terminal/screen.ts';
import { libraryFlags, withLibrary } from '../../flags/library/library.ts';

const listFlags = {
  trajectory: { type: 'string', description: 'about this trajectory' },
  author: { type: 'string', description: 'by this author' },
  by: { type: 'string', description: `by this kind of author: ${AUTHOR_KINDS.join(', ')}` },
  kind: { type: 'string', description: `of this kind: ${FEEDBACK_KINDS.join(', ')}` },
  since: { type: 'string', description: 'given since: 30m, 12h, 7d, or a date' },
  waiting: { type: 'boolean', description: 'what waits for its reply to be recorded, instead of what holds' },
  ...libraryFlags,
} as const;

export const feedbackListCommand = defineCommand({
  meta: { name: 'list', description: 'Show feedback that holds.' },
  args: listFlags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(listFlags, rawArgs);
    const query = {
      ...(args.trajectory === undefined ? {} : { trajectory_id: args.trajectory }),
      ...(args.author === undefined ? {} : { author: args.author }),
      ...(args.by === undefined ? {} : { author_kind: choose('by', AUTHOR_KINDS, args.by) }),
      ...(args.kind === undefined ? {} : { kind: choose('kind', FEEDBACK_KINDS, args.kind) }),
      ...(args.since === undefined ? {} : { since: readTime('since', args.since, Date.now()) }),
      ...(args.waiting === true ? { waiting: true } : {}),
    };
    await withLibrary(args, async (library) => {
      const feedback = await library.listFeedback(query);
      if (args.json === true) {
        writeJson({ feedback });
        return;
      }
      process.stdout.write(
        feedback.length === 0
          ? `no feedback${args.waiting === true ? ' waits' : ''}\n`
          : feedback.map((each) => `${describe(each)}\n`).join(''),
      );
    });
  },
});

const withdrawFlags = {
  id: { type: 'positional', required: true, description: 'the feedback that `feedback list` shows' },
  ...libraryFlags,
} as const;

export const feedbackWithdrawCommand = defineCommand({
  meta: { name: 'withdraw', description: 'Take feedback back. It no longer counts; that it was given stays known.' },
  args: withdrawFlags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(withdrawFlags, rawArgs);
    await withLibrary(args, async (library) => {
      if (!(await library.withdrawFeedback(args.id))) fail(`there is no feedback ${args.id} to withdraw.`);
      if (args.json === true) writeJson({ withdrawn: args.id });
      else process.stdout.write(`withdrawn ${args.id}\n`);
    });
  },
});

function describe({ feedback_id: id, feedback }: Feedback): string {
  const turn = typeof feedback.turn_index === 'number' ? ` turn ${feedback.turn_index}` : '';
  const said = describeContent(feedback);
  const comment =
    feedback.kind === 'text' || typeof feedback.comment !== 'string' ? '' : ` (${cleanLine(feedback.comment)})`;
  return `${id}  ${feedback.trajectory_id}${turn}  ${feedback.author_kind} ${cleanLine(feedback.author)}: ${said}${comment}`;
}

function describeContent(feedback: FeedbackInput): string {
  switch (feedback.kind) {
    case 'thumb':
      return feedback.is_up ? 'thumb up' : 'thumb down';
    case 'stars':
      return `${feedback.stars} of 5 stars`;
    case 'text':
      return cleanLine(feedback.comment);
    case 'edit':
      return `edited to ${cleanLine(messageText(feedback.edited))}`;
    case 'choice':
      return `better than ${feedback.over.trajectory_id}`;
    case 'step':
      return feedback.is_right ? 'this step is right' : 'this step is wrong';
    case 'score':
      return `score ${feedback.score}`;
  }
}

function choose<T extends string>(name: string, known: readonly T[], given: string): T {
  return known.find((each) => each === given) ?? fail(`--${name} wants one of ${known.join(', ')}.`);
}
