/** A block of a page, as somebody who follows it takes it. */
export type PageBlock =
  /** Written to a file of that name. */
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  /** Typed. In a named terminal stands a program that goes on: it is begun, and looked at until it says something. */
  | {
      readonly kind: 'typed';
      readonly terminal: string | undefined;
      readonly needs: string | undefined;
      readonly text: string;
    }
  /** Read: what a program prints, and what cannot be typed as it stands. */
  | { readonly kind: 'read'; readonly text: string };

const BLOCK = /^```([^\n]*)\n([\s\S]*?)^```$/gm;

/** The fenced blocks of a page: with `file=` they are written, `sh` is typed (`needs=account`: by who has one), all others are read. */
export function readPage(page: string): PageBlock[] {
  return [...page.matchAll(BLOCK)].map(([, info = '', text = '']): PageBlock => {
    const name = /\bfile=(\S+)/.exec(info)?.[1];
    if (name !== undefined) return { kind: 'file', name, text };
    if (!/^sh\b/.test(info)) return { kind: 'read', text };
    const [terminal, needs] = [/\bterminal=(\S+)/, /\bneeds=(\S+)/].map((word) => word.exec(info)?.[1]);
    return { kind: 'typed', terminal, needs, text };
  });
}
