import type { BrowserContext, Dialog } from 'playwright-core';

/** A page can write for ever; who reads it wants the end. */
const MOST_LINES = 200;
const LONGEST_LINE = 500;

export interface ConsoleLine {
  /** As the browser has it: `log`, `warning`, `error`, … */
  readonly type: string;
  readonly text: string;
}

/** What pages say beside what they show: their console, their errors, and dialogs, at which they stand still. */
export interface WatchedPages {
  readonly messages: readonly ConsoleLine[];
  readonly errors: readonly string[];
  clear(): void;
  /** The dialog that waits for an answer. */
  dialog(): Dialog | undefined;
  /** When the next one opens. */
  untilDialog(): Promise<void>;
  /** Takes the dialog that waits; whoever takes it answers it. */
  takeDialog(): Dialog | undefined;
}

/** Listens to all pages of a browser from now on. With a listener a dialog stays open until it is answered. */
export function watchPages(context: BrowserContext): WatchedPages {
  const messages: ConsoleLine[] = [];
  const errors: string[] = [];
  const dialogs: Dialog[] = [];
  let opened = Promise.withResolvers<void>();
  const keep = <T>(list: T[], line: T): void => {
    list.push(line);
    if (list.length > MOST_LINES) list.shift();
  };
  context.on('console', (line) => keep(messages, { type: line.type(), text: line.text().slice(0, LONGEST_LINE) }));
  context.on('weberror', (line) => keep(errors, line.error().message.slice(0, LONGEST_LINE)));
  context.on('dialog', (dialog) => {
    dialogs.push(dialog);
    opened.resolve();
    opened = Promise.withResolvers<void>();
  });
  return {
    messages,
    errors,
    clear: () => {
      messages.length = 0;
      errors.length = 0;
    },
    dialog: () => dialogs[0],
    untilDialog: () => opened.promise,
    takeDialog: () => dialogs.shift(),
  };
}
