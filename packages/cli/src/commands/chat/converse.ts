import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { cleanText } from '../../terminal/clean-text.ts';
import type { Paint } from '../../terminal/paint.ts';
import { askModel, type ChatLine, type ChatServer } from './ask-model.ts';

export interface ConverseOptions {
  readonly server: ChatServer;
  readonly system: string | undefined;
  readonly sampling: Readonly<Record<string, unknown>>;
  readonly input: Readable;
  readonly output: Writable;
  /** Whether somebody types: then a prompt is shown, and an error does not end the talk. */
  readonly isInteractive: boolean;
  readonly paint: Paint;
  readonly fetch?: typeof fetch;
}

const HELP = '  /exit ends, /new begins anew, /help shows this. Ctrl-C breaks a reply off.\n';

/** One line in, a reply out, until /exit or the end of the input. Throws what a server said when nobody is there to read on. */
export async function converse(options: ConverseOptions): Promise<void> {
  const { server, system, sampling, input, output, isInteractive, paint } = options;
  const begin = (): ChatLine[] => (system === undefined ? [] : [{ role: 'system', content: system }]);
  let messages = begin();
  const lines = createInterface({ input, terminal: isInteractive, ...(isInteractive ? { output } : {}) });
  let reply: AbortController | undefined;
  lines.on('SIGINT', () => (reply === undefined ? lines.close() : reply.abort()));
  lines.setPrompt(paint.bold(paint.green('you › ')));
  const ask = (): void => void (isInteractive && lines.prompt());
  ask();
  for await (const line of lines) {
    const said = line.trim();
    if (said === '/exit' || said === '/quit') break;
    if (said === '/help') output.write(HELP);
    else if (said === '/new') {
      messages = begin();
      output.write(paint.dim('  a new conversation\n'));
    } else if (said !== '') {
      reply = new AbortController();
      messages.push({ role: 'user', content: said });
      if (isInteractive) output.write(paint.bold(paint.blue(`${server.model} › `)));
      try {
        const onText = (text: string): void => void output.write(cleanText(text));
        messages.push({
          role: 'assistant',
          content: await askModel({ ...options, server, messages, sampling, signal: reply.signal, onText }),
        });
        output.write('\n');
      } catch (error) {
        // What was not answered is not part of the talk.
        messages.pop();
        if (!isInteractive) throw error;
        const sentence = reply.signal.aborted ? 'broken off' : describe(error);
        output.write(`\n${paint.red(`  ${sentence}`)}\n`);
      }
      reply = undefined;
    }
    ask();
  }
  lines.close();
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === 'fetch failed' ? 'the server does not answer any more' : error.message;
}
