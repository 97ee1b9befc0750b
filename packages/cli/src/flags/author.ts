import { userInfo } from 'node:os';

export const authorFlag = {
  author: { type: 'string', description: 'who rates (default: your user name) [LACHESIS_AUTHOR]' },
} as const;

export function readAuthor(args: { author?: string | undefined }): string {
  return args.author ?? process.env['LACHESIS_AUTHOR'] ?? (userInfo().username || 'me');
}
