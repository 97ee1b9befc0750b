export interface Guide {
  /** Files that the page has the reader write, by name. */
  readonly files: ReadonlyMap<string, string>;
  /** Its commands, in order. */
  readonly commands: readonly string[];
}

const BLOCK = /^```([^\n]*)\n([\s\S]*?)^```$/gm;

/** What a reader of a page does: blocks with `file=` are written, blocks of `sh` are typed; others are read. */
export function readGuide(page: string): Guide {
  const files = new Map<string, string>();
  const commands: string[] = [];
  for (const [, info = '', text = ''] of page.matchAll(BLOCK)) {
    const name = /\bfile=(\S+)/.exec(info)?.[1];
    if (name !== undefined) files.set(name, text);
    else if (info.trim() === 'sh') commands.push(...text.trimEnd().split('\n'));
  }
  return { files, commands };
}
