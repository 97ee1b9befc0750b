import { createInterface } from 'node:readline';
import type { AgentTerminal } from '../../agent/session/agent-terminal.ts';
import { cleanText } from '../../terminal/clean-text.ts';
import { createPaint, wantsColour } from '../../terminal/paint.ts';

export interface OpenTerminal extends AgentTerminal {
  /** Called at Ctrl-C while the terminal reads lines, where no signal is raised. */
  onInterrupt(listener: () => void): void;
  close(): void;
}

/** The person at the keyboard, or the lines of a pipe. Nothing is read before the first question. */
export function openTerminal(options: {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  /** False where nobody may be asked, such as with a task in a script. */
  asks: boolean;
}): OpenTerminal {
  const { input, output, asks } = options;
  const lines: string[] = [];
  let reader: ReturnType<typeof createInterface> | undefined;
  let isOver = !asks;
  let wake: (() => void) | undefined;
  let interrupt: (() => void) | undefined;

  const open = (): ReturnType<typeof createInterface> => {
    if (reader !== undefined) return reader;
    // Lines come by events, so that those of a pipe that arrive before a question are not lost.
    const made = createInterface({ input, output, terminal: input.isTTY && output.isTTY });
    made.on('line', (line) => {
      lines.push(line);
      wake?.();
    });
    made.on('SIGINT', () => interrupt?.());
    made.on('close', () => {
      isOver = true;
      wake?.();
    });
    reader = made;
    return made;
  };

  return {
    write: (text) => void output.write(text),
    clean: cleanText,
    paint: createPaint(wantsColour(output, process.env)),
    async ask(prompt, signal) {
      if (isOver && lines.length === 0) return undefined;
      const made = isOver ? undefined : open();
      made?.setPrompt(prompt);
      made?.prompt(true);
      const isAnswered = (): boolean => lines.length > 0 || isOver || signal?.aborted === true;
      if (!isAnswered()) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal?.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      return signal?.aborted === true ? undefined : lines.shift();
    },
    onInterrupt(listener) {
      interrupt = listener;
    },
    close() {
      reader?.close();
    },
  };
}
