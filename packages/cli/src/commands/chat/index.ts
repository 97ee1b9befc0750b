import { defineCommand } from 'citty';
import { readHome } from '../../flags/engine.ts';
import { modelArgument } from '../../flags/library/name-model.ts';
import { readNumber, readWholeNumber } from '../../flags/read-value.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { fail } from '../../terminal/fail.ts';
import { createPaint, wantsColour } from '../../terminal/paint.ts';

const flags = {
  model: {
    ...modelArgument.model,
    description: 'name or name@version in the registry; with --base-url as that server calls it',
  },
  'base-url': { type: 'string', description: 'any OpenAI-compatible server, with its /v1; its key is OPENAI_API_KEY' },
  system: { type: 'string', description: 'what the model is told before the first word' },
  temperature: { type: 'string', description: 'of the replies (default: that of the server)' },
  'max-tokens': { type: 'string', description: 'tokens of a reply (default: that of the server)' },
  home: { type: 'string', description: 'folder of Lachesis [LACHESIS_HOME]' },
} as const;

export const chatCommand = defineCommand({
  meta: { name: 'chat', description: 'Talk to a model in the terminal: one that you trained, or any other server.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const maxTokens = readWholeNumber('max-tokens', args['max-tokens']);
    const sampling = {
      ...(args.temperature === undefined ? {} : { temperature: readNumber('temperature', args.temperature) }),
      ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    };
    const { findChatServer } = await import('./find-chat-server.ts');
    const { converse } = await import('./converse.ts');
    await using found = await findChatServer({
      ...{ model: args.model, baseUrl: args['base-url'], home: readHome(args), env: process.env },
    });
    const isInteractive = process.stdin.isTTY && process.stdout.isTTY;
    const paint = createPaint(wantsColour(process.stdout, process.env));
    if (isInteractive) process.stdout.write(`${paint.dim(`${found.note}. /exit ends.`)}\n`);
    await converse({
      ...{ server: found.server, system: args.system, sampling, isInteractive, paint },
      ...{ input: process.stdin, output: process.stdout },
    }).catch(async (error: unknown) => {
      await found[Symbol.asyncDispose]();
      const sentence = error instanceof Error ? error.message : String(error);
      const isAway = sentence === 'fetch failed';
      fail(
        isAway
          ? `nothing answers at ${found.server.baseUrl}. Start that server, or name another with --base-url.`
          : sentence,
      );
    });
  },
});
