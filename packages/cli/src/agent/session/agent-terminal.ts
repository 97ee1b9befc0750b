/** Where a person watches and answers. */
export interface AgentTerminal {
  write(text: string): void;
  /** Takes out what would move the cursor or hide a line: replies and files are strangers' texts. */
  clean(text: string): string;
  /** One line; undefined when there is nobody to answer, or the signal was aborted. */
  ask(prompt: string, signal?: AbortSignal): Promise<string | undefined>;
  paint: Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>>;
}
