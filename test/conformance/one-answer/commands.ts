/** What the home holds, by the names that commands use. */
export interface Known {
  readonly trajectoryId: string;
  readonly feedbackId: string;
}

/**
 * What is asked both ways, as it is typed. A command that works on a library and is not here has not been shown to give one
 * answer. Those that read come first: each side then does the same changes on a home of its own.
 */
export const listCommands = ({ trajectoryId, feedbackId }: Known): string[][] => [
  ['trajectories', 'list'],
  ['trajectories', 'list', '--limit', '1'],
  ['trajectories', 'show', trajectoryId],
  ['feedback', 'list'],
  ['feedback', 'list', '--kind', 'stars'],
  ['models', 'list'],
  ['models', 'list', '--name', 'nobody'],
  ['models', 'show', 'support'],
  ['models', 'show', 'nobody@7'],
  ['lineage', 'model:support@1'],
  ['lineage', `feedback:${feedbackId}`],
  ['lineage', `reply:${trajectoryId}`],
  ['lineage', 'dataset:chats'],
  ['lineage', 'dataset:nothing'],
  ['data', 'sets', 'list'],
  ['data', 'sets', 'show', 'chats@1'],
  ['feedback', 'agreement'],
  ['improve', 'status'],
];
